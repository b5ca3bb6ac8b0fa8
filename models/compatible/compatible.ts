/** The transport to any endpoint that speaks the chat-completions convention. */
import { type CallLimits, callsTo, type EndpointWorld } from '../endpoint-calls.ts'
import type { Capabilities, ModelTransport } from '../transport.ts'
import { chatDialect } from './chat-dialect.ts'
import { addressOf, type CompatibleEndpoint } from './endpoint.ts'

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
