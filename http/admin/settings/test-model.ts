/** `POST /v1/admin/settings/test-model`: whether a model endpoint answers, before its address and key are stored. */
import { z } from 'zod'
import type { Settings } from '../../../config/settings.ts'
import { providerOf } from '../../../models/provider.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { ApiError, badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { type Trial, trialSteps, tryModel } from './model-trial.ts'

/** Trials at once in a process: each may wait twenty seconds for a stranger. */
const trialsMax = 2
const running = new WeakMap<App, number>()

const settingsOf = {
  compatible: { url: 'SERVICE_LLM_GATEWAY_URL', key: 'SERVICE_LLM_API_KEY', model: 'SERVICE_LLM_MODEL' },
  native: { url: 'SERVICE_NATIVE_BASE_URL', key: 'SERVICE_NATIVE_API_KEY', model: 'SERVICE_NATIVE_MODEL' },
  subscription: {
    url: 'SERVICE_SUBSCRIPTION_BASE_URL',
    key: 'SERVICE_SUBSCRIPTION_ACCESS_TOKEN',
    model: 'SERVICE_SUBSCRIPTION_MODEL',
  },
} as const

const Body = z.strictObject({
  provider: z.enum(['compatible', 'native', 'subscription']).optional(),
  gateway_url: z.string().max(2_000).optional().describe('By default the address that is set.'),
  model: z.string().max(256).optional(),
  key: z
    .string()
    .max(8_192)
    .optional()
    .describe('By default the key that is set, which goes to no other origin than the one that is set.'),
})

export const testModel = route({
  method: 'POST',
  path: '/v1/admin/settings/test-model',
  summary: 'Try a model endpoint',
  description: 'Asks it one small question with what is given, and with what is set for the rest. Nothing is stored.',
  tag: 'settings',
  access: admin('settings.write', { isInstallation: true }),
  body: Body,
  answers: {
    200: z.object({
      ok: z.boolean(),
      steps: z.array(z.object({ name: z.enum(trialSteps), state: z.enum(['ok', 'failed', 'unknown', 'skipped']) })),
      message: z.string().nullable(),
      status: z.int().nullable().describe('That the endpoint answered with.'),
      said: z.string().nullable().describe('The beginning of the answer.'),
      model: z.string().nullable(),
      key_sent: z.boolean(),
      took_ms: z.int(),
    }),
  },
  async handle({ app, body, signal }) {
    const trial = trialOf(app.settings, body)
    if (typeof trial === 'string') return noAddress(trial)
    const now = running.get(app) ?? 0
    if (now >= trialsMax) throw busy()
    running.set(app, now + 1)
    const startedMs = app.clock.elapsed()
    try {
      const { isOk, ...result } = await tryModel(trial, app.clock, signal)
      const took = Math.round(app.clock.elapsed() - startedMs)
      return { ok: isOk, ...result, key_sent: trial.apiKey !== '', took_ms: took }
    } finally {
      running.set(app, (running.get(app) ?? 1) - 1)
    }
  },
})

/** A string: what is wrong with the address. */
function trialOf(settings: Settings, body: z.infer<typeof Body>): Trial | string {
  const chosen = providerOf(settings).kind
  const provider = body.provider ?? (chosen === 'demonstration' ? 'compatible' : chosen)
  const keys = settingsOf[provider]
  const set = settings.get(keys.url)
  const baseUrl = (body.gateway_url ?? set).trim()
  if (baseUrl === '') throw badRequest('No address is given, and none is set.', 'gateway_url')
  if (!URL.canParse(baseUrl)) return 'This is no absolute address.'
  const { protocol, origin } = new URL(baseUrl)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http:// or https://.'
  // A key that is set is for whom it was set: nobody learns it by naming an address of their own.
  const isOwn = set !== '' && new URL(set).origin === origin
  return {
    provider,
    baseUrl,
    apiKey: body.key ?? (isOwn ? settings.get(keys.key) : ''),
    model: body.model ?? (settings.get(keys.model) || settings.get('SERVICE_LLM_MODEL')),
    style: provider === 'native' ? settings.get('SERVICE_NATIVE_API') : '',
  }
}

function noAddress(message: string) {
  const steps = trialSteps.map((name) => ({ name, state: name === 'address' ? 'failed' : 'unknown' }))
  return { ok: false, steps, message, status: null, said: null, model: null, key_sent: false, took_ms: 0 }
}

const busy = (): ApiError =>
  new ApiError(429, 'rate_limit_error', 'trials_run', `${trialsMax} trials are under way; ask again in a moment.`, {
    headers: { 'retry-after': '5' },
  })
