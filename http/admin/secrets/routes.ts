/** `/v1/admin/secrets`: the secrets of the installation by scope and name. No answer has a value. */
import { z } from 'zod'
import {
  listSecrets,
  removeSecret,
  SecretName,
  SecretScope,
  SecretValue,
  secretLimits,
  setSecret,
} from '../../../store/secrets.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

const tag = 'secrets'
const change = {
  method: 'POST',
  tag,
  access: admin('secrets.write', { isDangerous: true, isInstallation: true }),
} as const

const Id = { scope: SecretScope, name: SecretName }

const SecretView = z.object({ ...Id, updated_at: z.iso.datetime(), updated_by: z.string() })

export const listSecretsRoute = route({
  method: 'GET',
  path: '/v1/admin/secrets',
  summary: 'List the secrets',
  description: 'Of the installation, by scope and name: when each was set and by whom. Values are never shown.',
  tag,
  access: admin('secrets.read', { isInstallation: true }),
  answers: { 200: z.object({ items: z.array(SecretView).max(secretLimits.secretsMax) }) },
  async handle({ app }) {
    const secrets = await listSecrets(app.db)
    return {
      items: secrets.map(({ scope, name, updatedAt, updatedBy }) => ({
        ...{ scope, name },
        ...{ updated_at: updatedAt.toISOString(), updated_by: updatedBy },
      })),
    }
  },
})

export const setSecretRoute = route({
  ...change,
  path: '/v1/admin/secrets/set',
  summary: 'Set a secret',
  description:
    'Stores it sealed, or replaces it, in effect at once in every process. For owners, and keys with the scope `*`.',
  // JSON writes a byte of a value in up to six.
  bodyBytesMax: secretLimits.valueBytesMax * 6 + 1024,
  body: z.strictObject({ ...Id, value: SecretValue }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body } = call
    const { value, ...id } = body
    await setSecret(app.db, () => app.masterKey(), { id, value, actor: auditActor(call) })
    return { ok: true }
  },
})

export const removeSecretRoute = route({
  ...change,
  path: '/v1/admin/secrets/remove',
  summary: 'Remove a secret',
  description: 'Cannot be undone. For owners, and keys with the scope `*`.',
  body: z.strictObject(Id),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body } = call
    if (!(await removeSecret(app.db, body, auditActor(call))))
      throw notFound(`There is no secret ${body.scope}/${body.name}.`)
    return { ok: true }
  },
})
