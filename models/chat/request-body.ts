/** The body of a call as the endpoint gets it: the client's own, with what the settings say added. */
import { withoutReasoning } from '../responses/reasoning.ts'
import type { ModelRequest } from '../transport.ts'

export interface BodyDefaults {
  /** Blank: the request's own. */
  model: string
  /** Used where the request has none; undefined: not sent. */
  temperature: number | undefined
  topP: number | undefined
}

export function wholeBody(request: ModelRequest, defaults: BodyDefaults): string {
  return JSON.stringify(bodyOf(request, defaults))
}

/** @param asksForUsage false for an endpoint that refuses `stream_options` */
export function streamBody(request: ModelRequest, defaults: BodyDefaults, asksForUsage: boolean): string {
  const body = bodyOf(request, defaults)
  body['stream'] = true
  if (asksForUsage) body['stream_options'] = { ...optionsOf(request), include_usage: true }
  return JSON.stringify(body)
}

/** The routed one, else the configured one, else the one that the client named. */
export function modelOf(request: ModelRequest, defaults: Pick<BodyDefaults, 'model'>): string {
  return request.routedModel || defaults.model || request.model
}

function bodyOf(request: ModelRequest, defaults: BodyDefaults): Record<string, unknown> {
  const body: Record<string, unknown> = {
    model: modelOf(request, defaults),
    messages: [],
    ...request.parameters,
  }
  // What is ours to say is not the parameters'.
  body['model'] = modelOf(request, defaults)
  body['messages'] = request.messages.map(withoutReasoning)
  delete body['stream']
  delete body['stream_options']
  if (defaults.temperature !== undefined) body['temperature'] ??= defaults.temperature
  if (defaults.topP !== undefined) body['top_p'] ??= defaults.topP
  return body
}

function optionsOf(request: ModelRequest): object {
  const options = request.parameters['stream_options']
  return typeof options === 'object' && options !== null ? options : {}
}
