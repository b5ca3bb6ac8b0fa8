/** Streams dressed as the largest endpoint's are: fingerprint and tier on every chunk, null usage until the last, refusal null beside the role. */
import { chunkBase, events, type ScriptedAnswer, usageOf } from '../../../support/model-endpoint.ts'

export const dress = { service_tier: 'default', system_fingerprint: 'fp_1' }

export const detailedUsage = {
  ...usageOf(),
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 2 },
}

interface Piece {
  delta: object
  index?: number
  finish?: string
  logprobs?: object
}

export const opening = (index = 0): Piece => ({ delta: { role: 'assistant', content: '', refusal: null }, index })
export const word = (content: string, index = 0): Piece => ({ delta: { content }, index })
export const closing = (finish = 'stop', index = 0): Piece => ({ delta: {}, finish, index })

/** The pieces as chunks, the usage where it was asked for, [DONE]. */
export function dressed(...pieces: Piece[]): ScriptedAnswer {
  return (call) => {
    const wantsUsage = call.request.body.stream_options?.include_usage === true
    const usage = wantsUsage ? { usage: null } : {}
    const chunks = pieces.map(({ delta, index = 0, finish = null, logprobs = null }) => ({
      ...chunkBase,
      ...dress,
      choices: [{ index, delta, logprobs, finish_reason: finish }],
      ...usage,
    }))
    const last = wantsUsage ? [{ ...chunkBase, ...dress, choices: [], usage: detailedUsage }] : []
    return events(...chunks, ...last, '[DONE]')(call)
  }
}
