/** The subscription transport: the responses style, with a cap on output and a depth of reasoning of its own. */
import { z } from 'zod'
import { addressOf, type Endpoint } from './http/endpoint.ts'
import { type CallLimits, type EndpointDependencies, endpointTransport } from './http/endpoint-transport.ts'
import { isRecord } from './http/fields.ts'
import { responsesCapabilities } from './native.ts'
import { outputTokensMaxIn } from './responses/request-body.ts'
import { responsesDialect } from './responses/responses-dialect.ts'
import type { ModelRequest, ModelTransport } from './transport.ts'

/** What the vendor takes: `minimal`, which others know, it refuses with 400. */
const Effort = z.enum(['none', 'low', 'medium', 'high', 'xhigh'])
export type Effort = z.infer<typeof Effort>

/** What any other word counts as. */
const effortCoerced: Effort = 'low'

const subscriptionSettings = { url: 'SERVICE_SUBSCRIPTION_BASE_URL', key: 'SERVICE_SUBSCRIPTION_ACCESS_TOKEN' }

/** Read at each call. */
export interface SubscriptionLimits extends CallLimits {
  /** Tokens of one answer, reasoning included; 0: no cap. */
  outputTokensMax: number
  /** Where a request names none. */
  effort: Effort
}

/** @throws TypeError when the endpoint's URL is none */
export function subscriptionTransport(
  given: Omit<Endpoint, 'settings'>,
  limits: () => SubscriptionLimits,
  world: EndpointDependencies,
): ModelTransport {
  const address = addressOf({ ...given, settingKeys: subscriptionSettings }, 'responses')
  return endpointTransport(
    {
      styles: [{ dialect: responsesDialect, address }],
      model: given.model,
      capabilities: responsesCapabilities,
      limits,
      shape: (request) => shaped(request, limits()),
    },
    world,
  )
}

function shaped(request: ModelRequest, { outputTokensMax, effort }: SubscriptionLimits): ModelRequest {
  const parameters: Record<string, unknown> = { ...request.parameters, reasoning_effort: effortIn(request, effort) }
  const asked = outputTokensMaxIn(parameters)
  if (outputTokensMax > 0)
    parameters['max_output_tokens'] = typeof asked === 'number' ? Math.min(asked, outputTokensMax) : outputTokensMax
  return { ...request, parameters }
}

/** The request's own, in either place for it, wins over the settings' when the vendor takes it. */
function effortIn({ parameters }: ModelRequest, byDefault: Effort): Effort {
  const { reasoning_effort: flat, reasoning } = parameters
  const asked = flat ?? (isRecord(reasoning) ? reasoning['effort'] : undefined)
  if (asked === undefined || asked === null || asked === '') return byDefault
  const valid = Effort.safeParse(typeof asked === 'string' ? asked.trim().toLowerCase() : asked)
  return valid.success ? valid.data : effortCoerced
}
