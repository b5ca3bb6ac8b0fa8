/**
 * Refuses what would go over a hard limit, before a model is called. What was spent is read at each call, from what every node
 * has committed: so a limit is passed by what was under way when it was reached, and by no more.
 */
import type { Database } from '../../store/database.ts'
import type { ApiKeyId, BudgetId, OperatorId, WorkspaceId } from '../../store/id.ts'
import { uuidOf } from '../../store/id.ts'
import { databaseBatch } from '../../store/postgres/batch.ts'
import type { TurnOrigin } from '../../store/turns/origin.ts'
import { type BudgetPeriod, type HardBudget, hardBudgets, reachedBudgets } from '../../store/usage/budgets.ts'
import { TurnFailed } from '../turn/turn-failed.ts'

/** On whose budgets a turn counts. */
export interface Payer {
  workspaceId: WorkspaceId
  apiKeyId?: ApiKeyId | null | undefined
  operatorId?: OperatorId | null | undefined
  /** Null: the model answers by itself. */
  agent: string | null
  origin: TurnOrigin
}

export interface BudgetKeeper {
  /** A hard limit concerns it: its end is to be written before it is answered, so that the next one finds it spent. */
  isWatched(payer: Payer): boolean
  /** Costs nothing where no hard limit concerns it. @throws TurnFailed budget_exceeded; an outage of the database */
  check(payer: Payer): Promise<void>
  refresh(): Promise<void>
  close(): Promise<void>
}

const limits = { rowsMax: 256, flushersMax: 1, waitingMax: 20_000 }

export function budgetKeeper({ db, now }: { db: Database; now: () => number }): BudgetKeeper {
  let budgets = new Map<WorkspaceId, HardBudget[]>()
  const states = databaseBatch(async (ids: BudgetId[]) => {
    const reached = await reachedBudgets(db, [...new Set(ids)])
    return ids.map((id) => reached.has(id))
  }, limits)

  const watching = (payer: Payer): HardBudget[] =>
    budgets.get(payer.workspaceId)?.filter((budget) => concerns(budget, payer)) ?? []

  return {
    isWatched: (payer) => budgets.size > 0 && watching(payer).length > 0,
    async check(payer) {
      if (budgets.size === 0) return
      const concerned = watching(payer)
      const areReached = await Promise.all(concerned.map(({ id }) => states.add(id)))
      const over = concerned.find((_, at) => areReached[at])
      if (over) throw exceeded(over, now())
    },
    async refresh() {
      const fresh = new Map<WorkspaceId, HardBudget[]>()
      for (const budget of await hardBudgets(db)) {
        const those = fresh.get(budget.workspaceId)
        if (those) those.push(budget)
        else fresh.set(budget.workspaceId, [budget])
      }
      budgets = fresh
    },
    close: () => states.close(),
  }
}

function concerns({ subject, value, keys }: HardBudget, { apiKeyId, operatorId, agent, origin }: Payer): boolean {
  switch (subject) {
    case 'workspace':
      return true
    case 'key':
      return apiKeyId != null && keys.includes(uuidOf(apiKeyId))
    case 'operator':
      return operatorId != null && uuidOf(operatorId) === value
    case 'agent':
      return agent === value
    case 'origin':
      return origin === value
    default:
      return subject satisfies never
  }
}

const names = {
  workspace: 'this workspace',
  key: 'this key',
  operator: 'this operator',
  agent: 'this agent',
  origin: 'calls like this',
}

function exceeded({ subject, period }: HardBudget, nowMs: number): TurnFailed {
  return new TurnFailed({
    code: 'budget_exceeded',
    status: 429,
    message: `The budget of ${names[subject]} for this ${period} has reached its hard limit.`,
    retryAfterMs: endOf(period, nowMs) - nowMs,
  })
}

function endOf(period: BudgetPeriod, ms: number): number {
  const at = new Date(ms)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  return period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)
}
