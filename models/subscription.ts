/** The subscription: the responses style, with settings for a cap on output tokens and for the depth of reasoning. */
import { z } from 'zod'
import type { Settings } from '../config/settings.ts'
import { addressOf } from './http/endpoint.ts'
import { endpointTransport } from './http/endpoint-transport.ts'
import { isRecord } from './http/fields.ts'
import { responsesCapabilities } from './native.ts'
import { defineProvider } from './provider.ts'
import { outputTokensMaxIn } from './responses/request-body.ts'
import { responsesDialect } from './responses/responses-dialect.ts'
import type { ModelRequest } from './transport.ts'

/** What the vendor takes: `minimal`, which others know, it refuses with 400. */
const Effort = z.enum(['none', 'low', 'medium', 'high', 'xhigh'])
type Effort = z.infer<typeof Effort>

/** Sent for any effort that is none of these. */
const effortForUnknown: Effort = 'low'

export const subscription = defineProvider({
  kind: 'subscription',
  name: 'subscription',
  settingKeys: {
    url: 'SERVICE_SUBSCRIPTION_BASE_URL',
    key: 'SERVICE_SUBSCRIPTION_ACCESS_TOKEN',
    model: 'SERVICE_SUBSCRIPTION_MODEL',
  },
  choosingKeys: ['SERVICE_LLM_PROVIDER'],
  isChosen: (_settings, name) => name === 'subscription',
  open(endpoint, { limits, settings, ...dependencies }) {
    return endpointTransport(
      {
        styles: [{ dialect: responsesDialect, address: addressOf(endpoint, 'responses') }],
        model: endpoint.model,
        capabilities: responsesCapabilities,
        limits,
        adjust: (request) => withSettings(request, settings),
      },
      dependencies,
    )
  },
})

function withSettings(request: ModelRequest, settings: Settings): ModelRequest {
  const effort = effortIn(request, settings.get('SERVICE_SUBSCRIPTION_REASONING_EFFORT'))
  const parameters: Record<string, unknown> = { ...request.parameters, reasoning_effort: effort }
  const requestedMax = outputTokensMaxIn(parameters)
  const max = settings.get('SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS')
  if (max > 0) parameters['max_output_tokens'] = typeof requestedMax === 'number' ? Math.min(requestedMax, max) : max
  return { ...request, parameters }
}

/** The request's own, in either place for it, wins over the settings' when the vendor takes it. */
function effortIn({ parameters }: ModelRequest, byDefault: Effort): Effort {
  const { reasoning_effort: flat, reasoning } = parameters
  const requested = flat ?? (isRecord(reasoning) ? reasoning['effort'] : undefined)
  if (requested === undefined || requested === null || requested === '') return byDefault
  const valid = Effort.safeParse(typeof requested === 'string' ? requested.trim().toLowerCase() : requested)
  return valid.success ? valid.data : effortForUnknown
}
