/** Channels and the senders who are bound to them. Secrets are stored sealed under the master key. */
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, type AuditEntry, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { sqlStateOf } from './errors.ts'
import { type ChannelId, idFrom, newChannelId, type RowOf, uuidOf, type WorkspaceId } from './id.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'
import { sql } from './postgres/sql.ts'

export interface StoredChannel {
  id: ChannelId
  workspaceId: WorkspaceId
  name: string
  adapter: string
  config: Record<string, unknown>
  /** Sealed; null: there are none. */
  secrets: string | null
  isEnabled: boolean
  isPaused: boolean
  createdAt: Date
  updatedAt: Date
}

const columns = sql`id, workspace_id as "workspaceId", name, adapter, config, secrets, is_enabled as "isEnabled",
  is_paused as "isPaused", created_at as "createdAt", updated_at as "updatedAt"`

export class ChannelNameTaken extends Failure {
  readonly code = 'channel_name_taken'
  constructor(name: string) {
    super(`there is a channel ${name} already`)
  }
}

/** The channels of all workspaces: they are few, and all of them are in memory. */
export async function readChannels(db: Database): Promise<StoredChannel[]> {
  const rows = await db.system<RowOf<StoredChannel>>`
    select ${columns} from channels order by name limit ${channelsMax}`
  return rows.map(storedChannel)
}

/** When each channel of the workspace was changed last. */
export async function channelTimes(
  db: Database,
  workspace: WorkspaceId,
): Promise<Pick<StoredChannel, 'id' | 'updatedAt'>[]> {
  const rows = await db.forWorkspace(workspace)<RowOf<Pick<StoredChannel, 'id' | 'updatedAt'>>>`
    select id, updated_at as "updatedAt" from channels limit ${channelsMax}`
  return rows.map((row) => ({ ...row, id: idFrom('chan', row.id) }))
}

export const channelsMax = 10_000

/** Of the default workspace; made at each start where it is missing. */
export const builtInChannel = 'generic'

/** Creates it where it does not exist. */
export async function ensureChannel(
  db: Database,
  channel: { workspaceId: WorkspaceId; name: string; adapter: string },
): Promise<void> {
  await db.system`
    insert into channels (id, workspace_id, name, adapter, config)
    values (${uuidOf(newChannelId())}, ${uuidOf(channel.workspaceId)}, ${channel.name}, ${channel.adapter}, '{}')
    on conflict (name) do nothing`
}

export interface NewChannel {
  name: string
  adapter: string
  config: Record<string, unknown>
  secrets: string | null
  isEnabled: boolean
  isPaused: boolean
}

/** For the audit log: no secret, not even in a digest. */
export type ChannelAudit = Pick<AuditEntry, 'actor' | 'before' | 'after' | 'summary'>

/** @param audit absent: it is not audited @throws ChannelNameTaken */
export async function createChannel(
  db: Database,
  workspace: WorkspaceId,
  channel: NewChannel,
  audit?: ChannelAudit,
): Promise<StoredChannel> {
  try {
    return await db.transaction(workspace, async (query) => {
      const [row] = await query<RowOf<StoredChannel>>`
        insert into channels (id, workspace_id, name, adapter, config, secrets, is_enabled, is_paused)
        values (${uuidOf(newChannelId())}, ${uuidOf(workspace)}, ${channel.name}, ${channel.adapter},
          ${safeJson(channel.config)}::text::jsonb, ${channel.secrets}, ${channel.isEnabled}, ${channel.isPaused})
        returning ${columns}`
      if (audit) await writeAudit(query, { ...audit, action: 'channel.create', target: channel.name })
      return storedChannel(row as RowOf<StoredChannel>)
    })
  } catch (error) {
    throw sqlStateOf(error) === '23505' ? new ChannelNameTaken(channel.name) : error
  }
}

/** @returns null when the workspace has no such channel */
export async function updateChannel(
  db: Database,
  workspace: WorkspaceId,
  id: ChannelId,
  channel: Omit<NewChannel, 'name' | 'adapter'>,
  audit?: ChannelAudit,
): Promise<StoredChannel | null> {
  return await db.transaction(workspace, async (query) => {
    const [row] = await query<RowOf<StoredChannel>>`
      update channels set config = ${safeJson(channel.config)}::text::jsonb, secrets = ${channel.secrets},
        is_enabled = ${channel.isEnabled}, is_paused = ${channel.isPaused}, updated_at = now()
      where id = ${uuidOf(id)}
      returning ${columns}`
    if (row && audit) await writeAudit(query, { ...audit, action: 'channel.change', target: row.name })
    return row ? storedChannel(row) : null
  })
}

function storedChannel(row: RowOf<StoredChannel>): StoredChannel {
  return { ...row, id: idFrom('chan', row.id), workspaceId: idFrom('ws', row.workspaceId) }
}

export interface Binding {
  externalId: string
  role: string
  name: string | null
  createdAt: Date
  createdBy: string
}

/** Binds a sender to a role, or changes the role of one who is bound. */
export async function bindSender(
  db: Database,
  workspace: WorkspaceId,
  channel: ChannelId,
  binding: Omit<Binding, 'createdAt'>,
  actor?: AuditActor,
): Promise<void> {
  await db.transaction(workspace, async (query) => {
    const [before = null] = await query<{ role: string; name: string | null }>`
      select role, name from channel_bindings
      where channel_id = ${uuidOf(channel)} and external_id = ${safeText(binding.externalId)} for update`
    await query`
      insert into channel_bindings (channel_id, external_id, workspace_id, role, name, created_by)
      values (${uuidOf(channel)}, ${safeText(binding.externalId)}, ${uuidOf(workspace)}, ${safeText(binding.role)},
        ${binding.name === null ? null : safeText(binding.name)}, ${binding.createdBy})
      on conflict (channel_id, external_id) do update set role = excluded.role, name = excluded.name`
    const after = { role: binding.role, name: binding.name }
    const target = bindingTarget(channel, binding.externalId)
    if (actor) await writeAudit(query, { actor, action: 'channel.bind', target, summary: { before, after } })
  })
}

/** A sender is identified by the channel and the channel's name for them. */
const bindingTarget = (channel: ChannelId, externalId: string): string => `${channel}/${externalId}`

/** False: the sender was not bound. */
export async function unbindSender(
  db: Database,
  workspace: WorkspaceId,
  channel: ChannelId,
  externalId: string,
  actor?: AuditActor,
): Promise<boolean> {
  return await db.transaction(workspace, async (query) => {
    const [before] = await query<{ role: string; name: string | null }>`
      delete from channel_bindings where channel_id = ${uuidOf(channel)} and external_id = ${safeText(externalId)}
      returning role, name`
    const target = bindingTarget(channel, externalId)
    if (before && actor) await writeAudit(query, { actor, action: 'channel.unbind', target, summary: { before } })
    return before !== undefined
  })
}

/** In the order of their ids; `after` is exclusive. */
export function listBindings(
  db: Database,
  workspace: WorkspaceId,
  channel: ChannelId,
  page: { after: string; limit: number },
  externalId?: string,
): Promise<Binding[]> {
  const only = externalId === undefined ? sql`true` : sql`external_id = ${safeText(externalId)}`
  return db.forWorkspace(workspace)<Binding>`
    select external_id as "externalId", role, name, created_at as "createdAt", created_by as "createdBy"
    from channel_bindings
    where channel_id = ${uuidOf(channel)} and external_id > ${safeText(page.after)} and ${only} order by external_id limit ${page.limit}`
}
