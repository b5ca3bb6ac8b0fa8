/** Any endpoint that speaks the chat-completions convention. */
import { chatDialect } from './chat/chat-dialect.ts'
import { addressOf } from './http/endpoint.ts'
import { endpointTransport } from './http/endpoint-transport.ts'
import { defineProvider } from './provider.ts'
import type { Capabilities } from './transport.ts'

export const chatCapabilities: Capabilities = { tools: true, reasoningEffort: true, severalChoices: true }

export const compatible = defineProvider({
  kind: 'compatible',
  name: 'compatible',
  settingKeys: { url: 'SERVICE_LLM_GATEWAY_URL', key: 'SERVICE_LLM_API_KEY', model: 'SERVICE_LLM_MODEL' },
  choosingKeys: ['SERVICE_LLM_GATEWAY_URL', 'SERVICE_LLM_PROVIDER'],
  isChosen: (settings) => settings.get('SERVICE_LLM_GATEWAY_URL') !== '',
  open(endpoint, { limits, ...dependencies }) {
    const styles = [{ dialect: chatDialect, address: addressOf(endpoint, 'chat') }] as const
    const { model } = endpoint
    return endpointTransport({ styles, model, capabilities: chatCapabilities, limits }, dependencies)
  },
})
