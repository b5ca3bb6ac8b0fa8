/** The guard's word on what the turn is asked: the text to answer with where it refuses. */

import { refusalText } from '../../guard/refusal.ts'
import type { ChatMessage } from '../../models/transport.ts'
import type { Services } from '../services.ts'
import type { TurnRequest } from './messages.ts'

/** Undefined: nothing speaks against it. Only what is new is looked at: the rest was, when it was said. */
export function guardRefusal(
  { guard, settings, log }: Services,
  { messages, turnId }: TurnRequest,
): string | undefined {
  if (!guard) return undefined
  // As one text: the guard reads so much and no more, into however many parts it is cut.
  const verdict = guard.inspect(newWords(messages).join('\n'), 'user')
  if (!verdict.isBlocked) return undefined
  const rules = verdict.reasons.map(({ rule }) => rule)
  log.warn({ turn: turnId, score: verdict.score, rules }, 'the guard refused what a turn was asked')
  return refusalText(settings.get('SERVICE_LOCALE'), settings.get('SERVICE_MODERATION_REFUSAL'))
}

/** Texts of the user's messages behind the last word of the assistant. */
function newWords(messages: readonly ChatMessage[]): string[] {
  const texts: string[] = []
  for (let at = messages.findLastIndex(({ role }) => role === 'assistant') + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role !== 'user') continue
    if (typeof message.content === 'string') texts.push(message.content)
    else for (const part of message.content ?? []) if (typeof part['text'] === 'string') texts.push(part['text'])
  }
  return texts
}
