/** What the guard says of the request of a turn: the text to answer with where it refuses. */

import { refusalText } from '../../guard/refusal.ts'
import type { ChatMessage } from '../../models/transport.ts'
import type { Services } from '../services.ts'
import type { TurnRequest } from './messages.ts'

/** Undefined: it is let through. Only new messages are inspected: the others were when they were new. */
export function guardRefusal(
  { guard, settings, log }: Services,
  { messages, turnId }: TurnRequest,
): string | undefined {
  if (!guard) return undefined
  // As one text: the guard reads up to a bound, into however many parts a text is cut.
  const verdict = guard.inspect(newUserTexts(messages).join('\n'), 'user')
  if (!verdict.isBlocked) return undefined
  const rules = verdict.reasons.map(({ rule }) => rule)
  log.warn({ turn: turnId, score: verdict.score, rules }, 'the guard refused the request of a turn')
  return refusalText(settings.get('SERVICE_LOCALE'), settings.get('SERVICE_MODERATION_REFUSAL'))
}

/** Texts of the user's messages after the assistant's last one. */
function newUserTexts(messages: readonly ChatMessage[]): string[] {
  const texts: string[] = []
  for (let at = messages.findLastIndex(({ role }) => role === 'assistant') + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role !== 'user') continue
    if (typeof message.content === 'string') texts.push(message.content)
    else for (const part of message.content ?? []) if (typeof part['text'] === 'string') texts.push(part['text'])
  }
  return texts
}
