/** `POST /v1/admin/settings/test-model`: tests a model endpoint before its address and key are stored. */
import { z } from 'zod'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { AskedEndpointBody, askedEndpoint } from '../models/asked-endpoint.ts'
import { trialSteps, tryModel } from './model-trial.ts'

export const testModel = route({
  method: 'POST',
  path: '/v1/admin/settings/test-model',
  summary: 'Test a model endpoint',
  description:
    'Asks it one small question. The settings are used for what is left out. Nothing is stored. Another address than the configured one: owners only, and keys with the scope `*`.',
  tag: 'settings',
  access: admin('settings.write', { isInstallation: true }),
  body: AskedEndpointBody,
  answers: {
    200: z.object({
      ok: z.boolean(),
      steps: z.array(z.object({ name: z.enum(trialSteps), state: z.enum(['ok', 'failed', 'unknown', 'skipped']) })),
      message: z.string().nullable(),
      status: z.int().nullable().describe('The HTTP status of the endpoint.'),
      said: z.string().nullable().describe('The beginning of the answer.'),
      model: z.string().nullable(),
      key_sent: z.boolean(),
      took_ms: z.int(),
    }),
  },
  async handle({ app, body, principal, signal }) {
    const asked = await askedEndpoint(app, principal, body)
    if (typeof asked === 'string') return noAddress(asked)
    const leave = await app.modelTrials.take()
    const startedMs = app.clock.elapsed()
    try {
      const { isOk, ...result } = await tryModel({ ...asked, settings: app.settings }, app.clock, signal)
      const took = Math.round(app.clock.elapsed() - startedMs)
      return { ok: isOk, ...result, key_sent: asked.endpoint.apiKey !== '', took_ms: took }
    } finally {
      leave()
    }
  },
})

function noAddress(message: string) {
  const steps = trialSteps.map((name) => ({ name, state: name === 'address' ? 'failed' : 'unknown' }))
  return { ok: false, steps, message, status: null, said: null, model: null, key_sent: false, took_ms: 0 }
}
