/** The transport to any endpoint that speaks the chat-completions convention. */

import { chatDialect } from './chat/chat-dialect.ts'
import { addressOf, type Endpoint } from './http/endpoint.ts'
import { type CallLimits, type EndpointDependencies, endpointTransport } from './http/endpoint-transport.ts'
import type { Capabilities, ModelTransport } from './transport.ts'

export const chatCapabilities: Capabilities = { tools: true, reasoningEffort: true, severalChoices: true }

/** @throws TypeError when the endpoint's URL is none */
export function compatibleTransport(
  endpoint: Endpoint,
  limits: () => CallLimits,
  world: EndpointDependencies,
): ModelTransport {
  const ways = [{ dialect: chatDialect, address: addressOf(endpoint) }] as const
  return endpointTransport({ styles: ways, model: endpoint.model, capabilities: chatCapabilities, limits }, world)
}
