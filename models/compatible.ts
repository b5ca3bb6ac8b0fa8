/** The transport to any endpoint that speaks the chat-completions convention. */

import { chatDialect } from './chat/chat-dialect.ts'
import { addressOf, type CompatibleEndpoint } from './http/endpoint.ts'
import { type CallLimits, callsTo, type EndpointWorld } from './http/endpoint-transport.ts'
import type { Capabilities, ModelTransport } from './transport.ts'

export const chatCapabilities: Capabilities = { tools: true, reasoningEffort: true, severalChoices: true }

/** @throws TypeError when the endpoint's URL is none */
export function compatibleTransport(
  endpoint: CompatibleEndpoint,
  limits: () => CallLimits,
  world: EndpointWorld,
): ModelTransport {
  const ways = [{ dialect: chatDialect, address: addressOf(endpoint) }] as const
  return callsTo({ ways, model: endpoint.model, capabilities: chatCapabilities, limits }, world)
}
