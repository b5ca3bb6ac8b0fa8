/** `POST /v1/admin/settings/test-model`: tests a model endpoint before its address and key are stored. */
import { z } from 'zod'
import type { Settings } from '../../../config/settings.ts'
import { compatible } from '../../../models/compatible.ts'
import { chosenProvider, endpointOf, endpointProviders } from '../../../models/providers.ts'
import { admin } from '../../access.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { type Trial, trialSteps, tryModel } from './model-trial.ts'

const Body = z.strictObject({
  provider: z.enum(endpointProviders.map(({ kind }) => kind)).optional(),
  gateway_url: z.string().max(2_000).optional().describe('By default the configured address.'),
  model: z.string().max(256).optional(),
  key: z
    .string()
    .max(8_192)
    .optional()
    .describe('By default the configured key, which is sent only to the origin of the configured address.'),
})

export const testModel = route({
  method: 'POST',
  path: '/v1/admin/settings/test-model',
  summary: 'Test a model endpoint',
  description: 'Asks it one small question. The settings are used for what is left out. Nothing is stored.',
  tag: 'settings',
  access: admin('settings.write', { isInstallation: true }),
  body: Body,
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
  async handle({ app, body, signal }) {
    const trial = trialOf(app.settings, body)
    if (typeof trial === 'string') return noAddress(trial)
    const leave = await app.modelTrials.take()
    const startedMs = app.clock.elapsed()
    try {
      const { isOk, ...result } = await tryModel(trial, app.clock, signal)
      const took = Math.round(app.clock.elapsed() - startedMs)
      return { ok: isOk, ...result, key_sent: trial.endpoint.apiKey !== '', took_ms: took }
    } finally {
      leave()
    }
  },
})

/** @returns a message where the address is wrong */
function trialOf(settings: Settings, body: z.infer<typeof Body>): Trial | string {
  const configured = chosenProvider(settings).provider
  const byDefault = configured.settingKeys ? configured : compatible
  const provider = endpointProviders.find(({ kind }) => kind === body.provider) ?? byDefault
  const current = endpointOf(provider, settings)
  const baseUrl = (body.gateway_url ?? current.baseUrl).trim()
  if (baseUrl === '') throw badRequest('No address is given, and none is configured.', 'gateway_url')
  if (!URL.canParse(baseUrl)) return 'This is not an absolute address.'
  const { protocol, origin } = new URL(baseUrl)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http:// or https://.'
  // The configured key goes only to its own origin: nobody can get it by naming another address.
  const isOwn = current.baseUrl !== '' && new URL(current.baseUrl).origin === origin
  const apiKey = body.key ?? (isOwn ? current.apiKey : '')
  return { provider, settings, endpoint: { ...current, baseUrl, apiKey, model: body.model ?? current.model } }
}

function noAddress(message: string) {
  const steps = trialSteps.map((name) => ({ name, state: name === 'address' ? 'failed' : 'unknown' }))
  return { ok: false, steps, message, status: null, said: null, model: null, key_sent: false, took_ms: 0 }
}
