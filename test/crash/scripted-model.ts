/** The model of a crash test: who asks decides what it does, by the first word of the name, and each text has one answer. */

export interface AskedMessage {
  role: string
  content: string | null
  tool_calls?: unknown[]
}

export interface AskedCall {
  name: string
  arguments: object
}

/** What the model says: an answer, or the calls that it asks for. */
export type ModelWord = { text: string } | { calls: AskedCall[] }

/** Rounds of calls before the answer; each makes one effect. */
const effectsBy: Readonly<Record<string, number>> = { buyer: 2, careful: 1 }
/** Who gets an answer that takes a while. */
const listeners = new Set(['caller', 'chatter'])
const lines = 12

const roleOf = (text: string): string => text.split('-', 1)[0] ?? ''

/** How many effects are made before this text is answered. */
export const effectsOf = (text: string): number => effectsBy[roleOf(text)] ?? 0

/** The answer, to the character. */
export function answerTo(text: string): string {
  if (!listeners.has(roleOf(text))) return `re: ${text}`
  return Array.from({ length: lines }, (_, at) => `${at}: ёлка 🎄 for ${text};`).join(' ')
}

/** @param effectsUrl where an effect is made by POST, once: `…/<round>/<text of the message>` */
export function modelWord(effectsUrl: string, messages: readonly AskedMessage[], hasTools: boolean): ModelWord {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const text = messages[at]?.content ?? ''
  const round = messages.slice(at).filter((message) => message.tool_calls).length
  // Without tools it is asked for a summary of what fell out of its window.
  if (!hasTools || round >= effectsOf(text)) return { text: answerTo(text) }
  const effect = {
    name: 'http_request',
    arguments: { method: 'POST', url: `${effectsUrl}/${round}/${encodeURIComponent(text)}`, body: text },
  }
  if (roleOf(text) === 'careful') return { calls: [effect] }
  // The second one may be made again, and stands beside one that may not.
  return { calls: [effect, { name: 'calculator', arguments: { expression: `${round} + 41` } }] }
}
