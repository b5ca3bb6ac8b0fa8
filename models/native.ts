/** The native API of a hosted model: chat completions or responses, as the operator says or as the endpoint turns out. */
import { chatDialect } from './chat/chat-dialect.ts'
import { chatCapabilities } from './compatible.ts'
import { type ApiStyleName, addressOf, type Endpoint, styleNamedBy } from './http/endpoint.ts'
import { type CallLimits, type EndpointDependencies, endpointTransport } from './http/endpoint-transport.ts'
import type { ApiStyle } from './http/negotiation.ts'
import { responsesDialect } from './responses/responses-dialect.ts'
import type { Capabilities, ModelTransport } from './transport.ts'

export const responsesCapabilities: Capabilities = { tools: true, reasoningEffort: true, severalChoices: false }

const nativeSettings = { url: 'SERVICE_NATIVE_BASE_URL', key: 'SERVICE_NATIVE_API_KEY' }

/**
 * @param style blank: as the base URL's own ending says; else responses, and chat completions where the endpoint refuses
 * those with 404, 405 or 501, or where the request has a parameter that responses have no word for
 * @throws TypeError when the endpoint's URL is none
 */
export function nativeTransport(
  given: Omit<Endpoint, 'settings'> & { style: ApiStyleName | '' },
  limits: () => CallLimits,
  world: EndpointDependencies,
): ModelTransport {
  const endpoint: Endpoint = { ...given, settingKeys: nativeSettings }
  const style = given.style || styleNamedBy(endpoint.baseUrl)
  const chat: ApiStyle = { dialect: chatDialect, address: addressOf(endpoint, 'chat') }
  const responses: ApiStyle = { dialect: responsesDialect, address: addressOf(endpoint, 'responses') }
  const ways = { chat: [chat], responses: [responses], '': [responses, chat] } as const
  const capabilities = style === 'responses' ? responsesCapabilities : chatCapabilities
  return endpointTransport({ styles: ways[style ?? ''], model: endpoint.model, capabilities, limits }, world)
}
