/** Which endpoint a call goes to, and where it goes when that one is out. */
import type { ModelRequest } from '../transport.ts'
import type { OpenEndpoint } from './named-endpoint.ts'

/** A call is offered to no more endpoints than this, one after the other. */
export const endpointsAskedMax = 8

/** An entry of SERVICE_LLM_FALLBACKS. */
export interface Fallback {
  endpoint: string
  /** Absent: the model that was asked for where the endpoint lists it, else the first that it lists. */
  model: string | undefined
}

export interface Hop {
  endpoint: OpenEndpoint
  model: string
}

/** `name` or `name/model`, separated by commas. Names of endpoints have no slash, those of models may. */
export function fallbacksIn(text: string): Fallback[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [endpoint = '', model] = entry.split(/\/(.*)/s, 2)
      return { endpoint, model: model || undefined }
    })
}

/**
 * A name that some endpoint lists is that model. Any other means the first endpoint: its own model, unless an agent or the
 * router chose this one. Then come the others that list the model, and the fallbacks. Each place once.
 * @param endpoints in their order, at least one
 */
export function planOf(
  request: Pick<ModelRequest, 'model' | 'routedModel'>,
  endpoints: readonly OpenEndpoint[],
  fallbacks: readonly Fallback[],
): Hop[] {
  const named = request.routedModel || request.model
  const isListed = endpoints.some(({ models }) => models.includes(named))
  const model = isListed ? named : request.routedModel || endpoints[0]?.models[0] || named
  const listing = endpoints.filter(({ models }) => models.includes(model))
  const hops: Hop[] = (listing.length > 0 ? listing : endpoints.slice(0, 1)).map((endpoint) => ({ endpoint, model }))
  for (const fallback of fallbacks) {
    const endpoint = endpoints.find(({ name }) => name === fallback.endpoint)
    if (!endpoint) continue
    const own = endpoint.models.includes(model) ? model : endpoint.models[0]
    const sent = fallback.model ?? own ?? model
    if (!hops.some((hop) => hop.endpoint === endpoint && hop.model === sent)) hops.push({ endpoint, model: sent })
  }
  return hops.slice(0, endpointsAskedMax)
}
