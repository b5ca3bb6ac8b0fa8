/** What operators have changed of the alert rules in their workspace, and what they have silenced for a time. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'

export interface RuleChange {
  workspaceId: WorkspaceId
  rule: string
  isEnabled: boolean
  /** Null: as the catalogue says. */
  threshold: number | null
  forS: number | null
}

/** Of one workspace, or of all. */
export async function ruleChanges(db: Database, workspace: WorkspaceId | 'all'): Promise<RuleChange[]> {
  const rows =
    workspace === 'all'
      ? await db.system<RowOf<RuleChange>>`
          select workspace_id as "workspaceId", rule, is_enabled as "isEnabled", threshold, for_s as "forS" from alert_rules`
      : await db.forWorkspace(workspace)<RowOf<RuleChange>>`
          select workspace_id as "workspaceId", rule, is_enabled as "isEnabled", threshold, for_s as "forS" from alert_rules
          where workspace_id = ${uuidOf(workspace)}`
  return rows.map((row) => ({ ...row, workspaceId: idFrom('ws', row.workspaceId) }))
}

export async function changeRule(
  db: Database,
  actor: AuditActor,
  { rule, isEnabled, threshold, forS }: Omit<RuleChange, 'workspaceId'>,
): Promise<void> {
  await db.transaction(actor.workspaceId, async (query) => {
    const [before] = await query<object>`
      select is_enabled as "isEnabled", threshold, for_s as "forS" from alert_rules
      where workspace_id = ${uuidOf(actor.workspaceId)} and rule = ${rule} for update`
    await query`
      insert into alert_rules (workspace_id, rule, is_enabled, threshold, for_s, updated_by)
      values (${uuidOf(actor.workspaceId)}, ${rule}, ${isEnabled}, ${threshold}, ${forS}, ${safeText(actor.name)})
      on conflict (workspace_id, rule) do update set is_enabled = excluded.is_enabled, threshold = excluded.threshold,
        for_s = excluded.for_s, updated_at = now(), updated_by = excluded.updated_by`
    const summary = { before: before ?? null, after: { isEnabled, threshold, forS } }
    await writeAudit(query, { actor, action: 'alert.rule', target: rule, summary })
  })
}

export interface Silence {
  rule: string
  /** Empty: everything the rule is about. */
  subject: string
  /** As in the newest alert about it; null: there is none, or it has no name. */
  subjectName: string | null
  until: Date
  reason: string
  createdAt: Date
  createdBy: string
}

export const silencesMax = 500

/** More would be in no list. */
export class TooManySilences extends Failure {
  readonly code = 'too_many_silences'
  constructor() {
    super(`a workspace has ${silencesMax} silences at most`)
  }
}

/** Those that are not over. */
export async function listSilences(db: Database, workspace: WorkspaceId): Promise<Silence[]> {
  return await db.forWorkspace(workspace)<Silence>`
    select rule, subject, (
        select subject_name from alerts where workspace_id = ${uuidOf(workspace)} and alerts.rule = alert_silences.rule
          and alerts.subject = alert_silences.subject order by id desc limit 1) as "subjectName",
      until, reason, created_at as "createdAt", created_by as "createdBy" from alert_silences
    where workspace_id = ${uuidOf(workspace)} and until > now() order by until limit ${silencesMax}`
}

/** Replaces an earlier one of the same rule and subject; those that are over are forgotten. @throws TooManySilences */
export async function silence(
  db: Database,
  actor: AuditActor,
  { rule, subject, until, reason }: Pick<Silence, 'rule' | 'subject' | 'until' | 'reason'>,
): Promise<void> {
  await db.transaction(actor.workspaceId, async (query) => {
    const workspace = uuidOf(actor.workspaceId)
    // One at a time: several at once would all be below the bound.
    await query`select pg_advisory_xact_lock(hashtext('silences'), hashtext(${workspace}))`
    await query`delete from alert_silences where workspace_id = ${workspace} and until <= now()`
    await query`
      insert into alert_silences (workspace_id, rule, subject, until, reason, created_by)
      values (${workspace}, ${rule}, ${safeText(subject)}, ${until}, ${safeText(reason)}, ${safeText(actor.name)})
      on conflict (workspace_id, rule, subject) do update
      set until = excluded.until, reason = excluded.reason, created_at = now(), created_by = excluded.created_by`
    const [row] = await query<{ count: number }>`
      select count(*)::integer as count from alert_silences where workspace_id = ${workspace}`
    if ((row?.count ?? 0) > silencesMax) throw new TooManySilences()
    const summary = { after: { subject, until, reason } }
    await writeAudit(query, { actor, action: 'alert.silence', target: rule, summary })
  })
}

/** @returns false: there was none */
export async function endSilence(
  db: Database,
  actor: AuditActor,
  { rule, subject }: { rule: string; subject: string },
): Promise<boolean> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const ended = await query`
      delete from alert_silences where workspace_id = ${uuidOf(actor.workspaceId)} and rule = ${rule} and subject = ${safeText(subject)}
      returning rule`
    if (ended.length === 0) return false
    await writeAudit(query, { actor, action: 'alert.unsilence', target: rule, summary: { before: { subject } } })
    return true
  })
}
