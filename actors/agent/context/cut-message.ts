/** A message made to fit: the middle of its text is left out and the place is marked. */
import type { ChatMessage, ContentPart } from '../../../models/transport.ts'
import { cutMiddle } from './cut-text.ts'
import type { MessageTokens } from './message-tokens.ts'

/** Tokens are not spread evenly over a text, so that a cut is measured and repeated. */
const attemptsMax = 4

/** @returns the message itself where it fits; what is no text stays whole, so that it may still be too large */
export async function cutMessage(message: ChatMessage, tokensMax: number, tokens: MessageTokens): Promise<ChatMessage> {
  const length = textLength(message)
  const bare = cutToShare(message, 0)
  const [count = 0, fixed = 0] = await tokens.count([message, bare])
  if (count <= tokensMax || length === 0) return message
  const room = tokensMax - fixed
  if (room <= 0) return bare
  let share = room / (count - fixed)
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const cut = cutToShare(message, share)
    const [now = 0] = await tokens.count([cut])
    if (now <= tokensMax) return cut
    share *= Math.min(room / (now - fixed), 0.95)
  }
  // No token is shorter than a byte, and no character longer than three.
  return cutToShare(message, Math.min(share, room / 3 / length))
}

export async function cutToTokens(text: string, tokensMax: number, tokens: MessageTokens): Promise<string> {
  if (Buffer.byteLength(text) <= tokensMax) return text
  const cut = await cutMessage({ role: 'user', content: text }, tokensMax, tokens)
  return typeof cut.content === 'string' ? cut.content : ''
}

function cutToShare(message: ChatMessage, share: number): ChatMessage {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: cutText(content, share) }
  const parts = (content ?? []).map((part: ContentPart) =>
    typeof part.text === 'string' ? { ...part, text: cutText(part.text, share) } : part,
  )
  return { ...message, content: parts }
}

function cutText(text: string, share: number): string {
  return cutMiddle(
    text,
    Math.floor(text.length * share),
    0.5,
    ({ from, to, length }) => `\n[… ${to - from} of ${length} characters are left out here: too long …]\n`,
  )
}

function textLength({ content }: ChatMessage): number {
  if (typeof content === 'string') return content.length
  return (content ?? []).reduce((sum, part) => sum + (typeof part.text === 'string' ? part.text.length : 0), 0)
}
