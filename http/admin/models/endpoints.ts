/** `/v1/admin/models/endpoints`: the model endpoints beside the one of the settings. No answer has a key. */
import { z } from 'zod'
import { defaultEndpoint } from '../../../models/endpoints/named-endpoint.ts'
import { ModelError } from '../../../models/errors.ts'
import { withoutCredentials } from '../../../models/http/endpoint.ts'
import { listedModels } from '../../../models/http/listed-models.ts'
import { chosenProvider, endpointOf } from '../../../models/providers.ts'
import {
  ModelEndpointName,
  modelEndpointLimits,
  orderModelEndpoints,
  readModelEndpoints,
  removeModelEndpoint,
  setModelEndpoint,
} from '../../../store/model-endpoints.ts'
import { admin } from '../../access.ts'
import { ApiError, badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { AskedEndpointBody, askedEndpoint, Provider, wrongAddress } from './asked-endpoint.ts'

const tag = 'models'
const { endpointsMax, modelsMax, modelCharactersMax } = modelEndpointLimits

/** Whoever names an address has our keys and everybody's conversations sent there. */
const access = admin('models.write', { isDangerous: true, isInstallation: true })

const ModelName = z
  .string()
  .trim()
  .min(1)
  .max(modelCharactersMax)
  .regex(/^\P{Cc}+$/u, 'a name of a model has no control characters')

const EndpointView = z.object({
  name: z.string(),
  provider: z.string(),
  url: z.string().describe('Without credentials.'),
  has_key: z.boolean(),
  models: z.array(z.string()).describe('Empty: it judges each name itself.'),
  enabled: z.boolean(),
  is_default: z.boolean().describe('The one of the settings SERVICE_LLM_*: it is changed there.'),
  updated_at: z.iso.datetime().nullable(),
  updated_by: z.string().nullable(),
})

export const listModelEndpointsRoute = route({
  method: 'GET',
  path: '/v1/admin/models/endpoints',
  summary: 'List the model endpoints',
  description:
    'In the order in which they are asked: first the one of the settings. A model that several list is asked of the first; the others follow when it is out, then the entries of SERVICE_LLM_FALLBACKS.',
  tag,
  access: admin('models.read', { isInstallation: true }),
  answers: { 200: z.object({ items: z.array(EndpointView).max(endpointsMax + 1), fallbacks: z.string() }) },
  async handle({ app }) {
    const stored = (await readModelEndpoints(app.db)).map(
      (each): z.infer<typeof EndpointView> => ({
        name: each.name,
        provider: each.provider,
        url: each.url,
        has_key: each.hasKey,
        models: each.models,
        enabled: each.isEnabled,
        is_default: false,
        updated_at: each.updatedAt.toISOString(),
        updated_by: each.updatedBy,
      }),
    )
    const { provider, model } = chosenProvider(app.settings)
    const { baseUrl, apiKey } = provider.settingKeys ? endpointOf(provider, app.settings) : { baseUrl: '', apiKey: '' }
    const byDefault = {
      name: defaultEndpoint,
      provider: provider.kind,
      url: baseUrl === '' ? '' : withoutCredentials(baseUrl),
      has_key: apiKey !== '',
      models: model === '' ? [] : [model],
      // The demonstration model is for those who have no other.
      enabled: provider.settingKeys !== undefined || !stored.some(({ enabled }) => enabled),
      is_default: true,
      updated_at: null,
      updated_by: null,
    }
    return { items: [byDefault, ...stored], fallbacks: app.settings.get('SERVICE_LLM_FALLBACKS') }
  },
})

export const setModelEndpointRoute = route({
  method: 'POST',
  path: '/v1/admin/models/endpoints/set',
  summary: 'Add or replace a model endpoint',
  description:
    'A new one is asked after the others. In effect at once in every process; calls under way end where they began. For owners, and keys with the scope `*`.',
  tag,
  access,
  body: z.strictObject({
    name: ModelEndpointName,
    provider: Provider.default('compatible'),
    url: z.string().trim().max(2_000),
    key: z
      .string()
      .max(8_192)
      .optional()
      .describe(
        'Stored sealed. Empty: it wants none. Left out: the stored one stays, where the address keeps its origin.',
      ),
    models: z
      .array(ModelName)
      .max(modelsMax)
      .default([])
      .describe('The first is sent where it is asked for none of them.'),
    enabled: z.boolean().default(true),
  }),
  bodyBytesMax: 1_048_576,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body } = call
    const { name, provider, url, key, models, enabled } = body
    const wrong = wrongAddress(url)
    if (wrong !== undefined) throw badRequest(wrong, 'url')
    if (withoutCredentials(url) !== new URL(url).href)
      throw badRequest('An address is shown to whoever may see settings: its credentials belong into key.', 'url')
    const endpoint = { name, provider, url, models: [...new Set(models)], isEnabled: enabled }
    await setModelEndpoint(app.db, () => app.masterKey(), { endpoint, key, actor: auditActor(call) })
    return { ok: true }
  },
})

export const removeModelEndpointRoute = route({
  method: 'POST',
  path: '/v1/admin/models/endpoints/remove',
  summary: 'Remove a model endpoint',
  description: 'With its key. Calls under way end there. For owners, and keys with the scope `*`.',
  tag,
  access,
  body: z.strictObject({ name: ModelEndpointName }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { name } = call.body
    if (!(await removeModelEndpoint(call.app.db, name, auditActor(call))))
      throw notFound(`There is no model endpoint ${name}.`, 'name')
    return { ok: true }
  },
})

export const orderModelEndpointsRoute = route({
  method: 'POST',
  path: '/v1/admin/models/endpoints/order',
  summary: 'Order the model endpoints',
  description:
    'All of them but the one of the settings, which is always first. For owners, and keys with the scope `*`.',
  tag,
  access,
  body: z.strictObject({ names: z.array(ModelEndpointName).max(endpointsMax) }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { names } = call.body
    if (new Set(names).size !== names.length || !(await orderModelEndpoints(call.app.db, names, auditActor(call))))
      throw badRequest('The names are not those of all endpoints, each once.', 'names')
    return { ok: true }
  },
})

export const offeredModelsRoute = route({
  method: 'POST',
  path: '/v1/admin/models/offered',
  summary: 'Ask a model endpoint for its models',
  description:
    'The names that its list has, at most 5,000. Nothing is stored. Another address than the configured one: owners only, and keys with the scope `*`.',
  tag,
  access: admin('settings.write', { isInstallation: true }),
  body: AskedEndpointBody.omit({ model: true }),
  answers: { 200: z.object({ models: z.array(z.string()) }) },
  async handle({ app, body, principal, signal }) {
    const asked = await askedEndpoint(app, principal, body)
    if (typeof asked === 'string') throw badRequest(asked, 'gateway_url')
    const leave = await app.modelTrials.take()
    try {
      return { models: await listedModels(asked.endpoint, AbortSignal.any([signal, AbortSignal.timeout(listMs)])) }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      throw new ApiError(
        { code: error.code, status: 502, type: 'api_error' },
        `There is no list of models: ${error.message}.`,
      )
    } finally {
      leave()
    }
  },
})

const listMs = 10_000
