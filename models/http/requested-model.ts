/** The model that a call names to the endpoint. */
import type { ModelRequest } from '../transport.ts'

/** The routed one, else the configured one, else the one that the client named. */
export function requestedModel(request: ModelRequest, configured: { model: string }): string {
  return request.routedModel || configured.model || request.model
}
