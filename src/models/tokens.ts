/**
 * Counts tokens where the endpoint does not: with the o200k vocabulary, which models of other makers differ from by some
 * ten to twenty per cent. Loaded at the first use; long texts are counted in slices, so that the loop stays free.
 */
import type { ChatMessage, Usage } from './transport.ts'

/** About two milliseconds of work. */
const sliceCharacters = 8_192

/** Beyond it the rest is taken to be like what was counted. */
const countedCharactersMax = 1_048_576

/** Of each message: its role and the marks around it, by the convention of the vocabulary's maker. */
const messageTokens = 4
const answerTokens = 3

type Encode = (text: string) => number[]
let loading: Promise<Encode> | undefined

async function encoder(): Promise<Encode> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(
    (module) => (text) => module.encode(text, { allowedSpecial: 'all' }),
  )
  return await loading
}

export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const encode = await encoder()
  const counted = Math.min(text.length, countedCharactersMax)
  let tokens = 0
  for (let at = 0; at < counted; at += sliceCharacters) {
    tokens += encode(text.slice(at, at + sliceCharacters)).length
    if (at + sliceCharacters < counted) await new Promise(setImmediate)
  }
  return Math.ceil((tokens * text.length) / counted)
}

/** Usage of a call whose endpoint gave none. */
export async function estimateUsage(messages: readonly ChatMessage[], said: string): Promise<Usage> {
  const asked = messages.map((message) => textOf(message)).join('\n')
  const prompt = (await countTokens(asked)) + messages.length * messageTokens + answerTokens
  const completion = await countTokens(said)
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function textOf(message: ChatMessage): string {
  const { content } = message
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
        : ''
  const calls = message['tool_calls']
  return calls === undefined ? text : `${text}\n${JSON.stringify(calls)}`
}
