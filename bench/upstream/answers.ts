/** What the scripted endpoint says: an answer of about 200 tokens, and chunks that carry the time they were sent. */

const id = 'chatcmpl-0197f3a2b1c47d2e9f60'
const created = 1_760_000_000

const sentence =
  'The shipment left the warehouse on Tuesday and the carrier expects to hand it over within two working days, so no further step is needed from you. '

/** About 200 tokens. */
export const wholeAnswer: string = JSON.stringify({
  id,
  object: 'chat.completion',
  created,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: sentence.repeat(7).trim() },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 96, completion_tokens: 203, total_tokens: 299 },
  system_fingerprint: 'fp_bench',
})

function chunk(delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }]
  return `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model: 'bench', choices })}\n\n`
}

const mark = '~'

export const roleChunk = chunk({ role: 'assistant', content: '' }, null)

const [beforeTime, afterTime] = chunk({ content: ` ${mark}TIME${mark} token` }, null).split('TIME') as [string, string]

/** A content chunk; the time, or 0 where nobody measures it, stands between two marks in its text. */
export function timedChunk(sentUs: number): string {
  return beforeTime + Math.round(sentUs) + afterTime
}

export function endOfStream(chunks: number, wantsUsage: boolean): string {
  const usage = { prompt_tokens: 96, completion_tokens: chunks, total_tokens: 96 + chunks }
  const usageChunk = `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model: 'bench', choices: [], usage })}\n\n`
  return `${chunk({}, 'stop')}${wantsUsage ? usageChunk : ''}data: [DONE]\n\n`
}
