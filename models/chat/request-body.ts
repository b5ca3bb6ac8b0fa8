/** The body of a call: the client's own, with what the settings add. */
import type { BodyDefaults, BodyOptions } from '../http/dialect.ts'
import { requestedModel } from '../http/requested-model.ts'
import { withoutReasoning } from '../reasoning-field.ts'
import type { ModelRequest } from '../transport.ts'

export function chatBody(request: ModelRequest, options: BodyOptions): string {
  const body = commonBody(request, options)
  if (options.isStream) {
    body['stream'] = true
    if (options.asksForUsage) body['stream_options'] = { ...streamOptionsIn(request), include_usage: true }
  }
  return JSON.stringify(body)
}

function commonBody(request: ModelRequest, defaults: BodyDefaults): Record<string, unknown> {
  // First, so that they stand at the beginning; again below, because no parameter overrides them.
  const body: Record<string, unknown> = { model: '', messages: [], ...request.parameters }
  body['model'] = requestedModel(request, defaults)
  body['messages'] = request.messages.map(withoutReasoning)
  delete body['stream']
  delete body['stream_options']
  if (defaults.temperature !== undefined) body['temperature'] ??= defaults.temperature
  if (defaults.topP !== undefined) body['top_p'] ??= defaults.topP
  return body
}

function streamOptionsIn({ parameters }: ModelRequest): object {
  const options = parameters['stream_options']
  return typeof options === 'object' && options !== null ? options : {}
}
