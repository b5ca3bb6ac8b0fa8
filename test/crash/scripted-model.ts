/** The model of a crash test: it answers each message, and in the tools mode it has two effects made before it does. */

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

export type ScriptedModel = (messages: readonly AskedMessage[], hasTools: boolean) => ModelWord

export const plainModel: ScriptedModel = (messages) => ({ text: `re: ${messages.at(-1)?.content}` })

/** Rounds of calls before the answer; each makes one effect. */
export const effectsOfMessage = 2

/** @param effectsUrl where an effect is made by POST, once: `…/<round>/<text of the message>` */
export function modelWithTools(effectsUrl: string): ScriptedModel {
  return (messages, hasTools) => {
    const at = messages.findLastIndex(({ role }) => role === 'user')
    const text = messages[at]?.content ?? ''
    const round = messages.slice(at).filter((message) => message.tool_calls).length
    // Without tools it is asked for a summary of what fell out of its window.
    if (!hasTools || round >= effectsOfMessage) return { text: `re: ${text}` }
    const effect = {
      name: 'http_request',
      arguments: { method: 'POST', url: `${effectsUrl}/${round}/${encodeURIComponent(text)}`, body: text },
    }
    // The second one may be made again, and stands beside one that may not.
    return { calls: [effect, { name: 'calculator', arguments: { expression: `${round} + 41` } }] }
  }
}
