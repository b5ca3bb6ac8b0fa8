/** Model endpoints beside the one of the settings, in their order. Their keys are secrets of the scope `model`, under their names. */
import { z } from 'zod'
import type { MasterKey } from '../config/seal.ts'
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import { notifyChange } from './changes.ts'
import type { Database } from './database.ts'
import type { Query } from './postgres/query.ts'
import { deleteSecret, type SecretId, writeSecret } from './secrets.ts'

export const modelEndpointLimits = { endpointsMax: 32, modelsMax: 500, modelCharactersMax: 256 }

export const ModelEndpointName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,62}$/,
    'a name is 1 to 63 lower-case letters, digits and _ . -, and begins with a letter or digit',
  )
  .refine((name) => name !== 'default', { message: 'default is the endpoint of the settings SERVICE_LLM_*' })

export interface ModelEndpoint {
  name: string
  provider: string
  url: string
  models: string[]
  isEnabled: boolean
}

export interface StoredModelEndpoint extends ModelEndpoint {
  hasKey: boolean
  updatedAt: Date
  updatedBy: string
}

export class TooManyModelEndpoints extends Failure {
  readonly code = 'too_many_model_endpoints'
  constructor() {
    super(`there are ${modelEndpointLimits.endpointsMax} model endpoints; remove one first`)
  }
}

/** In their order. */
export async function readModelEndpoints(db: Database): Promise<StoredModelEndpoint[]> {
  return await db.system<StoredModelEndpoint>`
    select name, provider, url, models, is_enabled as "isEnabled", secret_name <> '' as "hasKey",
      updated_at as "updatedAt", updated_by as "updatedBy"
    from model_endpoints order by position, name limit ${modelEndpointLimits.endpointsMax}`
}

export const keyOfModelEndpoint = (name: string): SecretId => ({ scope: 'model', name })

export interface ModelEndpointChange {
  endpoint: ModelEndpoint
  /** Blank: it wants none. Undefined: the one that is stored stays, unless its address goes to another host. */
  key: string | undefined
  actor: AuditActor
}

/** Adds it behind the others, or replaces it where it stands. @throws TooManyModelEndpoints, TooManySecrets */
export async function setModelEndpoint(
  db: Database,
  masterKey: () => MasterKey,
  { endpoint, key, actor }: ModelEndpointChange,
): Promise<void> {
  const { name, provider, url, models, isEnabled } = endpoint
  const secret = keyOfModelEndpoint(name)
  await db.transaction('system', async (query) => {
    const before = await lockedEndpoints(query)
    const previous = before.find((each) => each.name === name)
    if (!previous && before.length >= modelEndpointLimits.endpointsMax) throw new TooManyModelEndpoints()
    // A stored key goes to no other host than it was given for.
    const stays = key === undefined && previous !== undefined && originOf(previous.url) === originOf(url)
    const secretName = stays ? previous.secretName : key ? name : ''
    await query`
      insert into model_endpoints (name, provider, url, secret_name, models, is_enabled, position, updated_by)
      values (${name}, ${provider}, ${url}, ${secretName}, ${models}::text[], ${isEnabled},
        ${Math.max(0, ...before.map(({ position }) => position)) + 1}, ${actor.name})
      on conflict (name) do update set provider = excluded.provider, url = excluded.url, secret_name = excluded.secret_name,
        models = excluded.models, is_enabled = excluded.is_enabled, updated_at = now(), updated_by = excluded.updated_by`
    if (key) await writeSecret(query, masterKey, { id: secret, value: key, actor })
    else if (secretName === '') await deleteSecret(query, secret, actor)
    const after = { provider, url, models: models.length, enabled: isEnabled }
    await writeAudit(query, {
      actor,
      action: 'model_endpoint.set',
      target: name,
      after: { ...after, url },
      summary: { after },
    })
  })
  await notifyChange(db, 'models')
}

/** With its key. @returns whether it was there */
export async function removeModelEndpoint(db: Database, name: string, actor: AuditActor): Promise<boolean> {
  const wasThere = await db.transaction('system', async (query) => {
    const removed = await query`delete from model_endpoints where name = ${name} returning name`
    if (removed.length === 0) return false
    await deleteSecret(query, keyOfModelEndpoint(name), actor)
    await writeAudit(query, { actor, action: 'model_endpoint.remove', target: name })
    return true
  })
  if (wasThere) await notifyChange(db, 'models')
  return wasThere
}

/** @param names each endpoint once @returns whether these were all there are; else nothing is changed */
export async function orderModelEndpoints(db: Database, names: readonly string[], actor: AuditActor): Promise<boolean> {
  const isDone = await db.transaction('system', async (query) => {
    const before = (await lockedEndpoints(query)).map(({ name }) => name)
    if (before.length !== names.length || !before.every((name) => names.includes(name))) return false
    await query`
      update model_endpoints set position = place.n
      from unnest(${names}::text[]) with ordinality as place (name, n) where place.name = model_endpoints.name`
    await writeAudit(query, {
      actor,
      action: 'model_endpoint.order',
      target: null,
      summary: { before: { names: before }, after: { names } },
    })
    return true
  })
  if (isDone) await notifyChange(db, 'models')
  return isDone
}

interface LockedEndpoint {
  name: string
  url: string
  secretName: string
  position: number
}

async function lockedEndpoints(query: Query): Promise<LockedEndpoint[]> {
  await query`lock table model_endpoints in share row exclusive mode`
  return await query<LockedEndpoint>`
    select name, url, secret_name as "secretName", position from model_endpoints order by position, name`
}

const originOf = (url: string): string => new URL(url).origin
