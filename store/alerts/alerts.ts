/**
 * Alerts: pending, firing, resolved. Each step is one conditional change with its event in the same transaction, under the lease of
 * who evaluates: whoever evaluates beside it, or once more after a crash, fires and resolves nothing twice.
 */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type AlertId, idFrom, newAlertId, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, sql } from '../postgres/sql.ts'

export const alertStates = ['pending', 'firing', 'resolved'] as const
export type AlertState = (typeof alertStates)[number]

export interface Alert {
  id: AlertId
  workspaceId: WorkspaceId
  rule: string
  subject: string
  subjectName: string | null
  state: AlertState
  value: number
  threshold: number
  isSilenced: boolean
  beganAt: Date
  firedAt: Date | null
  resolvedAt: Date | null
}

const columns = sql`id, workspace_id as "workspaceId", rule, subject, subject_name as "subjectName", state, value, threshold,
  is_silenced as "isSilenced", began_at as "beganAt", fired_at as "firedAt", resolved_at as "resolvedAt"`

const alertOf = (row: RowOf<Alert>): Alert => ({
  ...row,
  id: idFrom('alrt', row.id),
  workspaceId: idFrom('ws', row.workspaceId),
})

/** What one rule found to be beyond its threshold, or about whose alerts it says that they are over. */
export interface Judgement {
  workspaceId: WorkspaceId
  rule: string
  threshold: number
  forS: number
  isUrgent: boolean
  runbook: string
  breached: { subject: string; subjectName: string | null; value: number }[]
}

const fields = sql`json_build_object('alert_id', 'alrt_' || replace(id::text, '-', ''), 'rule', rule, 'subject', subject,
    'subject_name', subject_name, 'value', value, 'threshold', threshold, 'began_at', began_at, 'fired_at', fired_at,
    'resolved_at', resolved_at, 'runbook', runbook, 'is_urgent', is_urgent, 'is_silenced', is_silenced)`

const eventColumns = {
  conversationId: sql`null::uuid`,
  channelId: sql`null::uuid`,
  payload: fields,
}

/**
 * One round of evaluation: the rules in `judgements` have been read; alerts of others stay as they are.
 * @returns how many fired and resolved; null: the slot is another node's by now, and nothing was changed
 */
export async function stepAlerts(
  db: Database,
  held: HeldKey,
  judgements: readonly Judgement[],
): Promise<{ fired: number; resolved: number } | null> {
  const rules = JSON.stringify(
    judgements.map(({ workspaceId, rule, threshold, forS, isUrgent, runbook }) => ({
      ...{ workspace: uuidOf(workspaceId), rule, threshold, for_s: forS },
      ...{ is_urgent: isUrgent, runbook },
    })),
  )
  const breached = JSON.stringify(
    judgements.flatMap(({ workspaceId, rule, threshold, breached }) =>
      breached.map(({ subject, subjectName, value }) => ({
        ...{ id: uuidOf(newAlertId()), workspace: uuidOf(workspaceId), rule, threshold, value },
        ...{ subject: safeText(subject), subject_name: subjectName && safeText(subjectName) },
      })),
    ),
  )
  const judged = sql`json_to_recordset(${rules}::text::json)
    as judged (workspace uuid, rule text, threshold float8, for_s integer, is_urgent boolean, runbook text)`
  const found = sql`json_to_recordset(${breached}::text::json)
    as found (id uuid, workspace uuid, rule text, threshold float8, value float8, subject text, subject_name text)`
  return await db.transaction('system', async (query) => {
    // Until the end of the transaction nobody takes the slot.
    const [slot] = await query<{ is_held: boolean }>`select ${isHeld(held)} as is_held`
    if (!slot?.is_held) return null
    await query`
      insert into alerts (id, workspace_id, rule, subject, subject_name, state, value, threshold)
      select found.id, workspace, rule, subject, subject_name, 'pending', value, threshold from ${found}
      on conflict (workspace_id, rule, subject) where state <> 'resolved' do update
      set value = excluded.value, threshold = excluded.threshold, subject_name = excluded.subject_name, clear_at = null, evaluated_at = now()`
    await query`
      update alerts set clear_at = coalesce(clear_at, now()), evaluated_at = now() from ${judged}
      where alerts.workspace_id = judged.workspace and alerts.rule = judged.rule and state <> 'resolved' and not exists (
        select from ${found} where found.workspace = alerts.workspace_id and found.rule = alerts.rule and found.subject = alerts.subject)`
    await query`
      delete from alerts using ${judged}
      where alerts.workspace_id = judged.workspace and alerts.rule = judged.rule and state = 'pending' and clear_at is not null`
    const fired = await query`
      with changed as (
        update alerts set state = 'firing', fired_at = now(), is_silenced = exists (
          select from alert_silences where alert_silences.workspace_id = alerts.workspace_id and alert_silences.rule = alerts.rule
            and alert_silences.subject in ('', alerts.subject) and until > now())
        from ${judged}
        where alerts.workspace_id = judged.workspace and alerts.rule = judged.rule and state = 'pending'
          and began_at <= now() - make_interval(secs => for_s)
        returning alerts.*, judged.is_urgent, judged.runbook
      ), event as (${insertEvents(sql`'alert.fired'`, sql`changed`, eventColumns)})
      select id from changed`
    const resolved = await query`
      with changed as (
        update alerts set state = 'resolved', resolved_at = now() from ${judged}
        where alerts.workspace_id = judged.workspace and alerts.rule = judged.rule and state = 'firing'
          and clear_at <= now() - make_interval(secs => for_s)
        returning alerts.*, judged.is_urgent, judged.runbook
      ), event as (${insertEvents(sql`'alert.resolved'`, sql`changed`, eventColumns)})
      select id from changed`
    return { fired: fired.length, resolved: resolved.length }
  })
}

/** A made-up alert for whoever is told of alerts. @returns its id, by which deliveries are found */
export async function tellTestAlert(db: Database, actor: AuditActor): Promise<AlertId> {
  const id = newAlertId()
  await db.transaction(actor.workspaceId, async (query) => {
    await query`
      insert into events (workspace_id, kind, subject, payload)
      values (${uuidOf(actor.workspaceId)}, 'alert.test', ${uuidOf(id)}, ${JSON.stringify({ alert_id: id, is_urgent: true })}::text::json)`
    await writeAudit(query, { actor, action: 'alert.test', target: id })
  })
  return id
}

export interface AlertFilter {
  state: AlertState | null
  rule: string | null
}

/** Newest first. `before` is exclusive. */
export async function listAlerts(
  db: Database,
  workspace: WorkspaceId,
  { state, rule }: AlertFilter,
  page: { before: AlertId | null; limit: number },
): Promise<Alert[]> {
  const conditions = [sql`workspace_id = ${uuidOf(workspace)}`]
  if (state) conditions.push(sql`state = ${state}`)
  if (rule) conditions.push(sql`rule = ${rule}`)
  if (page.before) conditions.push(sql`id < ${uuidOf(page.before)}`)
  const rows = await db.forWorkspace(workspace)<RowOf<Alert>>`
    select ${columns} from alerts where ${allOf(conditions)} order by id desc limit ${page.limit}`
  return rows.map(alertOf)
}

/** Those that were over before `before`, at most `limit`. @returns how many */
export async function deleteAlerts(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const rows = await db.system`
    delete from alerts where id in (
      select id from alerts where ${isHeld(held)} and state = 'resolved' and resolved_at < ${before} limit ${limit}) returning id`
  return rows.length
}
