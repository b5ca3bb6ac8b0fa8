/** The failures of an endpoint, made where they are understood. */
import { ModelError } from './errors.ts'

export const unreachable = (cause: unknown): ModelError =>
  new ModelError('endpoint_unreachable', 'The model endpoint cannot be reached.', { isTransient: true, cause })

export const streamCut = (cause?: unknown): ModelError =>
  new ModelError('stream_cut', 'The model endpoint broke off in the middle of its answer.', { isTransient: true, cause })

export const garbage = (what: string, cause?: unknown): ModelError =>
  new ModelError('garbage', `The model endpoint sent something that is no answer: ${what}.`, { cause })

/** @param said the endpoint's own words, as far as its body has any */
export function statusError(upstreamStatus: number, said: string, retryAfterMs: number | undefined): ModelError {
  const words = said === '' ? '' : ` It says: ${said}`
  const facts = { upstreamStatus, retryAfterMs }
  if (upstreamStatus === 429) {
    return new ModelError('rate_limited', `The model endpoint limits our rate.${words}`, { ...facts, isTransient: true })
  }
  if (upstreamStatus === 401 || upstreamStatus === 403) {
    return new ModelError('endpoint_credentials', 'The model endpoint refuses the service’s credentials (SERVICE_LLM_API_KEY).', facts)
  }
  if (upstreamStatus === 408 || upstreamStatus === 504) {
    return new ModelError('endpoint_error', `The model endpoint timed out.${words}`, { ...facts, status: 504, isTransient: true })
  }
  if (upstreamStatus === 503 || upstreamStatus === 529) {
    return new ModelError('endpoint_overloaded', `The model endpoint is overloaded.${words}`, { ...facts, isTransient: true })
  }
  if (upstreamStatus >= 400 && upstreamStatus < 500) {
    const message = said || `The model endpoint refused the request with ${upstreamStatus}.`
    return new ModelError(upstreamStatus === 404 ? 'model_unknown' : 'bad_request', message, { ...facts, status: upstreamStatus })
  }
  return new ModelError('endpoint_error', `The model endpoint failed with ${upstreamStatus}.${words}`, {
    ...facts,
    isTransient: upstreamStatus >= 500,
  })
}
