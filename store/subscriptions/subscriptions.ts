/** Subscriptions: which events of a workspace are sent where, by webhook or mail. The secret of a webhook is in the store of secrets. */
import { z } from 'zod'
import type { MasterKey } from '../../config/seal.ts'
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import { notifyChange } from '../changes.ts'
import type { Database } from '../database.ts'
import type { EventPosition } from '../events/cursor.ts'
import { lastPosition } from '../events/events.ts'
import { idFrom, newSubscriptionId, type RowOf, type SubscriptionId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import { deleteSecret, readSecret, type SecretId, writeSecret } from '../secrets.ts'

export const SubscriptionKind = z.enum(['webhook', 'mail'])
export type SubscriptionKind = z.infer<typeof SubscriptionKind>

/** By the clock of the time zone; over midnight where `from` is the later one. */
export interface QuietHours {
  from: string
  to: string
  time_zone: string
}

export interface Subscription {
  id: SubscriptionId
  workspaceId: WorkspaceId
  name: string
  kind: SubscriptionKind
  target: string
  secretName: string | null
  eventKinds: string[]
  quietHours: QuietHours | null
  isEnabled: boolean
  createdAt: Date
  createdBy: string
  updatedAt: Date
}

export const subscriptionsMax = 100

export class TooManySubscriptions extends Failure {
  readonly code = 'too_many_subscriptions'
  constructor() {
    super(`a workspace has ${subscriptionsMax} subscriptions at most`)
  }
}

const columns = sql`id, workspace_id as "workspaceId", name, kind, target, secret_name as "secretName", event_kinds as "eventKinds",
  quiet_hours as "quietHours", is_enabled as "isEnabled", created_at as "createdAt", created_by as "createdBy", updated_at as "updatedAt"`

function subscriptionOf(row: RowOf<Subscription>): Subscription {
  return { ...row, id: idFrom('sub', row.id), workspaceId: idFrom('ws', row.workspaceId) }
}

export async function listSubscriptions(db: Database, workspace: WorkspaceId): Promise<Subscription[]> {
  const rows = await db.forWorkspace(workspace)<RowOf<Subscription>>`
    select ${columns} from subscriptions where workspace_id = ${uuidOf(workspace)} order by id limit ${subscriptionsMax}`
  return rows.map(subscriptionOf)
}

export async function readSubscription(
  db: Database,
  workspace: WorkspaceId,
  id: SubscriptionId,
): Promise<Subscription | undefined> {
  const [row] = await db.forWorkspace(workspace)<RowOf<Subscription>>`
    select ${columns} from subscriptions where id = ${uuidOf(id)}`
  return row && subscriptionOf(row)
}

/** For its outbox, which knows its id alone. */
export async function subscriptionById(db: Database, id: SubscriptionId): Promise<Subscription | undefined> {
  const [row] = await db.system<RowOf<Subscription>>`select ${columns} from subscriptions where id = ${uuidOf(id)}`
  return row && subscriptionOf(row)
}

const secretOf = (name: string): SecretId => ({ scope: 'webhook', name })

/** What its posts are signed with. @throws SealBroken */
export async function signingSecret(
  db: Database,
  masterKey: () => MasterKey,
  { secretName }: Subscription,
): Promise<string | undefined> {
  return secretName === null ? undefined : await readSecret(db, masterKey, secretOf(secretName))
}

export type NewSubscription = Pick<Subscription, 'name' | 'kind' | 'target' | 'eventKinds' | 'quietHours' | 'isEnabled'>

/** It is sent what happens from now on. @throws TooManySubscriptions, TooManySecrets */
export async function createSubscription(
  db: Database,
  masterKey: () => MasterKey,
  { made, secret, actor }: { made: NewSubscription; secret: string | null; actor: AuditActor },
): Promise<SubscriptionId> {
  const id = newSubscriptionId()
  const position = await lastPosition(db)
  await db.transaction('system', async (query) => {
    if (secret !== null) await writeSecret(query, masterKey, { id: secretOf(uuidOf(id)), value: secret, actor })
    await query`select from workspaces where id = ${uuidOf(actor.workspaceId)} for update`
    const [count] = await query<{ count: number }>`
      select count(*)::int as count from subscriptions where workspace_id = ${uuidOf(actor.workspaceId)}`
    if ((count?.count ?? 0) >= subscriptionsMax) throw new TooManySubscriptions()
    await query`
      insert into subscriptions (id, workspace_id, name, kind, target, secret_name, event_kinds, quiet_hours, is_enabled,
        cursor_xid, cursor_id, created_by)
      values (${uuidOf(id)}, ${uuidOf(actor.workspaceId)}, ${safeText(made.name)}, ${made.kind}, ${safeText(made.target)},
        ${secret === null ? null : uuidOf(id)}, ${made.eventKinds}::text[], ${jsonOf(made.quietHours)}::text::json, ${made.isEnabled},
        ${position.xid.toString()}::text::xid8, ${position.id.toString()}::bigint, ${safeText(actor.name)})`
    await writeChange(query, id, { actor, action: 'subscription.create', summary: { after: summaryOf(made) } })
  })
  if (secret !== null) await notifyChange(db, 'secrets')
  return id
}

/** One that is switched on again goes on with what happens from then on. @returns false: there is none */
export async function changeSubscription(
  db: Database,
  before: Subscription,
  { after, actor }: { after: NewSubscription; actor: AuditActor },
): Promise<boolean> {
  const position: EventPosition | undefined = after.isEnabled && !before.isEnabled ? await lastPosition(db) : undefined
  return await db.transaction(actor.workspaceId, async (query) => {
    const [changed] = await query`
      update subscriptions set name = ${safeText(after.name)}, target = ${safeText(after.target)}, event_kinds = ${after.eventKinds}::text[],
        quiet_hours = ${jsonOf(after.quietHours)}::text::json, is_enabled = ${after.isEnabled}, updated_at = now(),
        cursor_xid = coalesce(${position?.xid.toString() ?? null}::text::xid8, cursor_xid),
        cursor_id = coalesce(${position?.id.toString() ?? null}::bigint, cursor_id)
      where id = ${uuidOf(before.id)} returning id`
    if (!changed) return false
    const summary = { before: summaryOf(before), after: summaryOf(after) }
    await writeChange(query, before.id, { actor, action: 'subscription.update', summary })
    return true
  })
}

/** Its posts are signed with the new secret from now on. */
export async function replaceSigningSecret(
  db: Database,
  masterKey: () => MasterKey,
  { subscription, secret, actor }: { subscription: Subscription; secret: string; actor: AuditActor },
): Promise<void> {
  await db.transaction('system', async (query) => {
    await writeSecret(query, masterKey, { id: secretOf(uuidOf(subscription.id)), value: secret, actor })
    await query`
      update subscriptions set secret_name = ${uuidOf(subscription.id)}, updated_at = now() where id = ${uuidOf(subscription.id)}`
    await writeChange(query, subscription.id, { actor, action: 'subscription.secret', summary: {} })
  })
  await notifyChange(db, 'secrets')
}

/** With its deliveries and its secret. @returns false: there is none */
export async function deleteSubscription(
  db: Database,
  subscription: Subscription,
  actor: AuditActor,
): Promise<boolean> {
  await deleteDeliveries(db, subscription.id)
  const wasThere = await db.transaction('system', async (query) => {
    const { secretName } = subscription
    await query`
      delete from subscription_attempts using subscription_deliveries
      where subscription_attempts.delivery_id = subscription_deliveries.id and subscription_id = ${uuidOf(subscription.id)}`
    const deleted = await query`delete from subscriptions where id = ${uuidOf(subscription.id)} returning id`
    if (deleted.length === 0) return false
    if (secretName !== null) await deleteSecret(query, secretOf(secretName), actor)
    await writeChange(query, subscription.id, {
      actor,
      action: 'subscription.delete',
      summary: { before: summaryOf(subscription) },
    })
    return true
  })
  if (wasThere) await notifyChange(db, 'secrets')
  return wasThere
}

/** Of one statement: all that a busy one was sent would take longer than a statement may. */
const deletedMax = 10_000

/** Switched off, it gets no more meanwhile. */
async function deleteDeliveries(db: Database, id: SubscriptionId): Promise<void> {
  await db.system`update subscriptions set is_enabled = false where id = ${uuidOf(id)}`
  for (let deleted = deletedMax; deleted === deletedMax; ) {
    const [row] = await db.system<{ deleted: number }>`
      with gone as (
        delete from subscription_deliveries where id in (
          select id from subscription_deliveries where subscription_id = ${uuidOf(id)} limit ${deletedMax})
        returning id
      ), attempts as (
        delete from subscription_attempts using gone where subscription_attempts.delivery_id = gone.id
      )
      select count(*)::integer as deleted from gone`
    deleted = row?.deleted ?? 0
  }
}

/** An event for whoever shows subscriptions, and the entry of the audit log, which comes last. */
async function writeChange(
  query: Query,
  id: SubscriptionId,
  { actor, action, summary }: { actor: AuditActor; action: string; summary: { before?: object; after?: object } },
): Promise<void> {
  await query`
    insert into events (workspace_id, kind, subject, payload)
    values (${uuidOf(actor.workspaceId)}, 'subscription.changed', ${uuidOf(id)}, ${JSON.stringify({ subscription_id: id })}::text::json)`
  await writeAudit(query, { actor, action, target: id, summary })
}

/** Of an address only its host: the rest may be a secret of whoever takes the posts. */
function summaryOf({ name, kind, target, eventKinds, isEnabled }: NewSubscription): object {
  return { name, kind, target: shortTarget(kind, target), eventKinds, isEnabled }
}

export const shortTarget = (kind: SubscriptionKind, target: string): string =>
  kind === 'webhook' && URL.canParse(target) ? new URL(target).origin : target

const jsonOf = (value: QuietHours | null): string | null => (value === null ? null : JSON.stringify(value))
