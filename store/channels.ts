/** Channels and the senders who may use them. Secrets are sealed text here; whoever has the master key opens them. */
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, type AuditEntry, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { sqlStateOf } from './errors.ts'
import { type ChannelId, idFrom, newChannelId, uuidOf, type WorkspaceId } from './id.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'

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

interface ChannelRow {
  id: string
  workspace_id: string
  name: string
  adapter: string
  config: Record<string, unknown>
  secrets: string | null
  is_enabled: boolean
  is_paused: boolean
  created_at: Date
  updated_at: Date
}

export class ChannelNameTaken extends Failure {
  readonly code = 'channel_name_taken'
  constructor(name: string) {
    super(`there is a channel ${name} already`)
  }
}

/** Every channel of every workspace: tens, not thousands, and all of them are in memory. */
export async function readChannels(db: Database): Promise<StoredChannel[]> {
  const rows = await db.system<ChannelRow>`
    select id, workspace_id, name, adapter, config, secrets, is_enabled, is_paused, created_at, updated_at
    from channels order by name limit ${channelsMax}`
  return rows.map(storedChannel)
}

export const channelsMax = 10_000

/** Made at the start where it is not there yet. */
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

/** What the audit log is told of a change: never a secret, not even in a digest. */
export type ChannelAudit = Pick<AuditEntry, 'actor' | 'before' | 'after' | 'summary'>

/** @param audit absent: nobody asked for it @throws ChannelNameTaken */
export async function createChannel(
  db: Database,
  workspace: WorkspaceId,
  channel: NewChannel,
  audit?: ChannelAudit,
): Promise<StoredChannel> {
  try {
    return await db.transaction(workspace, async (query) => {
      const [row] = await query<ChannelRow>`
        insert into channels (id, workspace_id, name, adapter, config, secrets, is_enabled, is_paused)
        values (${uuidOf(newChannelId())}, ${uuidOf(workspace)}, ${channel.name}, ${channel.adapter},
          ${safeJson(channel.config)}::text::jsonb, ${channel.secrets}, ${channel.isEnabled}, ${channel.isPaused})
        returning id, workspace_id, name, adapter, config, secrets, is_enabled, is_paused, created_at, updated_at`
      if (audit) await writeAudit(query, { ...audit, action: 'channel.create', target: channel.name })
      return storedChannel(row as ChannelRow)
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
    const [row] = await query<ChannelRow>`
      update channels set config = ${safeJson(channel.config)}::text::jsonb, secrets = ${channel.secrets},
        is_enabled = ${channel.isEnabled}, is_paused = ${channel.isPaused}, updated_at = now()
      where id = ${uuidOf(id)}
      returning id, workspace_id, name, adapter, config, secrets, is_enabled, is_paused, created_at, updated_at`
    if (row && audit) await writeAudit(query, { ...audit, action: 'channel.change', target: row.name })
    return row ? storedChannel(row) : null
  })
}

function storedChannel(row: ChannelRow): StoredChannel {
  return {
    id: idFrom('chan', row.id),
    workspaceId: idFrom('ws', row.workspace_id),
    name: row.name,
    adapter: row.adapter,
    config: row.config,
    secrets: row.secrets,
    isEnabled: row.is_enabled,
    isPaused: row.is_paused,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
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

/** A sender is known by the channel and the channel's name for them. */
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
export async function listBindings(
  db: Database,
  workspace: WorkspaceId,
  channel: ChannelId,
  page: { after: string; limit: number },
): Promise<Binding[]> {
  const rows = await db.forWorkspace(workspace)<{
    external_id: string
    role: string
    name: string | null
    created_at: Date
    created_by: string
  }>`
    select external_id, role, name, created_at, created_by from channel_bindings
    where channel_id = ${uuidOf(channel)} and external_id > ${safeText(page.after)} order by external_id limit ${page.limit}`
  return rows.map((row) => ({
    externalId: row.external_id,
    role: row.role,
    name: row.name,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }))
}
