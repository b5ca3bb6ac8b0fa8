/** The native API of a hosted model: chat completions or responses, as the settings say or as the endpoint turns out. */
import { chatDialect } from './chat/chat-dialect.ts'
import { chatCapabilities } from './compatible.ts'
import { addressOf, styleInUrl } from './http/endpoint.ts'
import { endpointTransport } from './http/endpoint-transport.ts'
import type { ApiStyle } from './http/negotiation.ts'
import { defineProvider } from './provider.ts'
import { responsesDialect } from './responses/responses-dialect.ts'
import type { Capabilities } from './transport.ts'

export const responsesCapabilities: Capabilities = { tools: true, reasoningEffort: true, severalChoices: false }

export const native = defineProvider({
  kind: 'native',
  settingKeys: { url: 'SERVICE_NATIVE_BASE_URL', key: 'SERVICE_NATIVE_API_KEY', model: 'SERVICE_NATIVE_MODEL' },
  styleKey: 'SERVICE_NATIVE_API',
  choosingKeys: ['SERVICE_NATIVE_API_KEY', 'SERVICE_LLM_GATEWAY_URL', 'SERVICE_LLM_PROVIDER'],
  isChosen: (settings) => settings.get('SERVICE_NATIVE_API_KEY') !== '',
  /**
   * Where neither SERVICE_NATIVE_API nor the end of the base URL names a style: responses, and chat completions where the
   * endpoint refuses those with 404, 405 or 501, or where the request has a parameter that responses do not support.
   */
  open(endpoint, { limits, ...dependencies }) {
    const style = endpoint.style || styleInUrl(endpoint.baseUrl) || 'either'
    const chat: ApiStyle = { dialect: chatDialect, address: addressOf(endpoint, 'chat') }
    const responses: ApiStyle = { dialect: responsesDialect, address: addressOf(endpoint, 'responses') }
    const styles = { chat: [chat], responses: [responses], either: [responses, chat] } as const
    const capabilities = style === 'responses' ? responsesCapabilities : chatCapabilities
    return endpointTransport({ styles: styles[style], model: endpoint.model, capabilities, limits }, dependencies)
  },
})
