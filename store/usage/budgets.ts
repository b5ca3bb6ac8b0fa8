/** Budgets: how much a subject of a workspace may cost, or use, in a day or a month, and what it has so far. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import { notifyChange } from '../changes.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ApiKeyId, type BudgetId, idFrom, newBudgetId, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import type { Query } from '../postgres/query.ts'
import { type Fragment, sql } from '../postgres/sql.ts'
import { behindMark, summedEntries } from './dimensions.ts'

export const budgetSubjects = ['workspace', 'key', 'operator', 'agent', 'origin'] as const
export type BudgetSubject = (typeof budgetSubjects)[number]

/** In UTC. */
export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

export const budgetUnits = ['micro_units', 'tokens'] as const
export type BudgetUnit = (typeof budgetUnits)[number]

export const budgetLimits = { ofWorkspace: 500, ofAll: 20_000, amountMax: 1_000_000_000_000_000 }

export interface NewBudget {
  subject: BudgetSubject
  /** The UUID or the name of the subject; blank: the workspace. */
  value: string
  period: BudgetPeriod
  unit: BudgetUnit
  /** Blank: of tokens. */
  currency: string
  /** Passed, operators are told. Null: none. */
  softLimit: number | null
  /** Reached, nothing more is begun. Null: none. */
  hardLimit: number | null
}

export interface Budget extends NewBudget {
  id: BudgetId
  workspaceId: WorkspaceId
}

export interface BudgetState extends Budget {
  /** In this period. */
  spent: bigint
  updatedAt: Date
  updatedBy: string
  /** Of a key: the first of those that were rotated into it. */
  keyLine: ApiKeyId | null
}

export class TooManyBudgets extends Failure {
  readonly code = 'too_many_budgets'
  constructor() {
    super(`a workspace has ${budgetLimits.ofWorkspace} budgets at most`)
  }
}

const columns = sql`budgets.id, budgets.workspace_id as "workspaceId", subject, budgets.value, period, unit, budgets.currency,
  soft_limit as "softLimit", hard_limit as "hardLimit"`

type Row = Omit<RowOf<Budget>, 'softLimit' | 'hardLimit'> & { softLimit: string | null; hardLimit: string | null }

function budgetOf({ id, workspaceId, softLimit, hardLimit, ...row }: Row): Budget {
  return {
    ...row,
    id: idFrom('bud', id),
    workspaceId: idFrom('ws', workspaceId),
    softLimit: softLimit === null ? null : Number(softLimit),
    hardLimit: hardLimit === null ? null : Number(hardLimit),
  }
}

export interface HardBudget extends Budget {
  /** Of a key: those whose calls count, without dashes. */
  keys: readonly string[]
}

/** With a hard limit, of all workspaces. */
export async function hardBudgets(db: Database): Promise<HardBudget[]> {
  const rows = await db.system<Row & { keys: string[] }>`
    select ${columns}, array(select value from (${keysOf(sql`budgets`)}) as own) as keys
    from budgets where hard_limit is not null order by id limit ${budgetLimits.ofAll}`
  return rows.map(({ keys, ...row }) => ({ ...budgetOf(row), keys }))
}

/**
 * The key of a budget, and those that it was rotated from or into. A turn may wait for a person longer
 * than its key is good for; those that ended a month before this period have none.
 */
const keysOf = (budget: Fragment): Fragment => sql`
    select ${budget}.value where ${budget}.subject = 'key'
    union
    select replace(same.id::text, '-', '') from api_keys as own
      join api_keys as same on coalesce(same.rate_id, same.id) = coalesce(own.rate_id, own.id) and same.workspace_id = own.workspace_id
    where own.workspace_id = ${budget}.workspace_id and own.id = case when ${budget}.subject = 'key' then ${budget}.value::uuid end
      and coalesce(least(same.revoked_at, same.expires_at), 'infinity') >= date_trunc(${budget}.period, now(), 'UTC') - interval '31 days'`

/** The sums that a budget counts, of this period: those that are kept, and of entries that are not added yet. */
const spentOf = (only: Fragment): Fragment => sql`
    mark as materialized (select xid, at from usage_mark), chosen as materialized (select * from budgets where ${only}
    ), fresh as materialized (
      select usage_entries.* from usage_entries where ${behindMark(sql`mark`)} and usage_entries.workspace_id in (select workspace_id from chosen)
    ), tail as materialized (${summedEntries(sql`fresh`, sql`dimension in ('all', 'key', 'operator', 'agent')`)}
    ), spent as (
      select chosen.id, coalesce(sum(case when chosen.unit = 'tokens' then token_in + token_out
        when rows.currency = chosen.currency then micro_units else 0 end), 0) as amount
      from chosen
        cross join lateral (
          select case when subject in ('workspace', 'origin') then 'all' else subject end as dimension, own.value,
            date_trunc(period, now(), 'UTC') as at
          from (
            select case when subject in ('workspace', 'origin') then '' else chosen.value end where subject <> 'key'
            union all
            ${keysOf(sql`chosen`)}
          ) as own (value)
        ) as counted
        left join lateral (
          select kept.origin, kept.currency, kept.token_in, kept.token_out, kept.micro_units from usage_sums as kept
          where kept.workspace_id = chosen.workspace_id and kept.grain = chosen.period and kept.dimension = counted.dimension
            and kept.at = counted.at and kept.value = counted.value
          union all
          select tail.origin, tail.currency, tail.token_in, tail.token_out, tail.micro_units from tail
          where tail.workspace_id = chosen.workspace_id and tail.dimension = counted.dimension and tail.value = counted.value
            and tail.hour >= counted.at
        ) as rows on chosen.subject <> 'origin' or rows.origin = chosen.value
      group by chosen.id
    )`

/** Of these budgets, those whose hard limit is reached by what all nodes have committed. */
export async function reachedBudgets(db: Database, ids: readonly BudgetId[]): Promise<Set<BudgetId>> {
  const rows = await db.system<{ id: string }>`
    with ${spentOf(sql`id = any(${ids.map(uuidOf)}::uuid[]) and hard_limit is not null`)}
    select chosen.id from chosen join spent using (id) where amount >= hard_limit`
  return new Set(rows.map(({ id }) => idFrom('bud', id)))
}

export async function listBudgets(db: Database, workspace: WorkspaceId): Promise<BudgetState[]> {
  const rows = await db.forWorkspace(workspace)<
    Row & { amount: string; updatedAt: Date; updatedBy: string; keyLine: string | null }
  >`
    with ${spentOf(sql`workspace_id = ${uuidOf(workspace)}::uuid`)}
    select ${columns}, updated_at as "updatedAt", updated_by as "updatedBy", amount::text as amount,
      (select coalesce(rate_id, api_keys.id) from api_keys
        where api_keys.id = case when subject = 'key' then budgets.value::uuid end) as "keyLine"
    from budgets join spent using (id) order by subject, budgets.value, period limit ${budgetLimits.ofWorkspace}`
  return rows.map(({ amount, updatedAt, updatedBy, keyLine, ...row }) => ({
    ...budgetOf(row),
    spent: BigInt(amount),
    updatedAt,
    updatedBy,
    keyLine: keyLine === null ? null : idFrom('key', keyLine),
  }))
}

/** Of a subject, period and unit there is one: it is made, or changed. @throws TooManyBudgets */
export async function setBudget(db: Database, budget: NewBudget, actor: AuditActor): Promise<BudgetId> {
  const { subject, value, period, unit, currency, softLimit, hardLimit } = budget
  const id = await db.transaction(actor.workspaceId, async (query) => {
    const workspace = uuidOf(actor.workspaceId)
    await query`select pg_advisory_xact_lock(hashtext('budgets'), hashtext(${workspace}))`
    const [row] = await query<{ id: string; made: boolean }>`
      insert into budgets (id, workspace_id, subject, value, period, unit, currency, soft_limit, hard_limit, updated_by)
      values (${uuidOf(newBudgetId())}, ${workspace}, ${subject}, ${value}, ${period}, ${unit}, ${currency}, ${softLimit},
        ${hardLimit}, ${actor.name})
      on conflict (workspace_id, subject, value, period, unit) do update set currency = excluded.currency,
        soft_limit = excluded.soft_limit, hard_limit = excluded.hard_limit, updated_at = now(), updated_by = excluded.updated_by,
        -- A limit that is raised can be reached again.
        soft_reached_at = null, hard_reached_at = null
      returning id, xmax = 0 as made`
    if (!row) throw new Error('a budget that is set has a row')
    if (row.made && (await countOf(query)) > budgetLimits.ofWorkspace) throw new TooManyBudgets()
    const budgetId = idFrom('bud', row.id)
    await writeAudit(query, { actor, action: 'budget.set', target: budgetId, summary: { after: { ...budget } } })
    return budgetId
  })
  await notifyChange(db, 'prices')
  return id
}

async function countOf(query: Query): Promise<number> {
  const [row] = await query<{ budgets: number }>`select count(*)::integer as budgets from budgets`
  return row?.budgets ?? 0
}

/** @returns whether it was there */
export async function removeBudget(db: Database, id: BudgetId, actor: AuditActor): Promise<boolean> {
  const wasThere = await db.transaction(actor.workspaceId, async (query) => {
    const rows = await query<{ subject: string; value: string }>`
      delete from budgets where id = ${uuidOf(id)} returning subject, value`
    if (rows[0]) await writeAudit(query, { actor, action: 'budget.remove', target: id, summary: { before: rows[0] } })
    return rows.length > 0
  })
  if (wasThere) await notifyChange(db, 'prices')
  return wasThere
}

/** Says of each limit once in a period that it was reached. @returns how many events that were */
export async function tellReachedBudgets(db: Database, held: HeldKey): Promise<number> {
  const [row] = await db.system<{ told: number }>`
    with ${spentOf(isHeld(held))}, reached as (
      update budgets set
        soft_reached_at = case when amount >= budgets.soft_limit then date_trunc(budgets.period, now(), 'UTC') else budgets.soft_reached_at end,
        hard_reached_at = case when amount >= budgets.hard_limit then date_trunc(budgets.period, now(), 'UTC') else budgets.hard_reached_at end
      from spent join chosen as before using (id)
      where budgets.id = spent.id and (
        amount >= budgets.soft_limit and budgets.soft_reached_at is distinct from date_trunc(budgets.period, now(), 'UTC')
        or amount >= budgets.hard_limit and budgets.hard_reached_at is distinct from date_trunc(budgets.period, now(), 'UTC'))
      returning budgets.*, spent.amount,
        budgets.soft_reached_at is distinct from before.soft_reached_at as is_soft, budgets.hard_reached_at is distinct from before.hard_reached_at as is_hard
    ), told as (
      select reached.*, kind from reached cross join lateral (
        values ('budget.soft_limit_reached', is_soft), ('budget.hard_limit_reached', is_hard)) as news (kind, is_news)
      where is_news
    ), event as (${insertEvents(sql`kind`, sql`told`, {
      conversationId: sql`null::uuid`,
      channelId: sql`null::uuid`,
      payload: sql`json_build_object('budget', 'bud_' || replace(id::text, '-', ''), 'subject', subject,
        'value', case subject when 'key' then 'key_' when 'operator' then 'oper_' else '' end || value, 'period', period,
        'unit', unit, 'currency', currency, 'limit', (case when kind = 'budget.soft_limit_reached' then soft_limit else hard_limit end)::text, 'spent', amount::text)`,
    })})
    select count(*)::integer as told from told`
  return row?.told ?? 0
}
