/** Where each rule of the catalogue reads its values: one entry a rule, so that a rule without one does not compile. */
import {
  endingKeys,
  failingEndpoints,
  failingSubscriptions,
  lostNodes,
  type Reading,
  waitingApprovals,
} from '../../store/alerts/readings.ts'
import type { Database } from '../../store/database.ts'
import type { WorkspaceId } from '../../store/id.ts'
import { readSignals, type Signals } from '../../store/signals/signals.ts'
import { type BudgetState, listBudgets } from '../../store/usage/budgets.ts'
import type { Channels } from '../channel/channels.ts'
import type { AlertRuleId } from './rules.ts'

export interface ReadingSource {
  db: Database
  workspace: WorkspaceId
  channels: Pick<Channels, 'byId'>
  nowMs: number
  /** Of the workspace, read once for all rules. */
  signals(): Promise<Signals>
  /** Likewise. */
  budgets(): Promise<BudgetState[]>
}

const minuteMs = 60_000
const recentMs = 15 * minuteMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Faster than this is not slow, whatever it was before. */
const slowMs = 200

export const alertReadings: Record<AlertRuleId, (source: ReadingSource) => Promise<Reading[]>> = {
  async turn_latency({ signals }) {
    const { medianMs, baselineMs, completed, baselineCompleted } = (await signals()).turns
    if (medianMs === null || baselineMs === null || baselineMs === 0 || medianMs < slowMs) return []
    return [ofAll(medianMs / baselineMs, Math.min(completed, baselineCompleted))]
  },
  async error_rate({ signals }) {
    const { completed, failed } = (await signals()).turns
    const ended = completed + failed
    return ended === 0 ? [] : [ofAll(failed / ended, ended)]
  },
  async deliveries_failing({ signals, channels }) {
    return [...(await signals()).dispositions].map(([channel, counts]) => {
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
      const failed = (counts.failed ?? 0) + (counts.undeliverable ?? 0)
      return { subject: channel, subjectName: channels.byId(channel)?.name ?? null, value: failed / all, volume: all }
    })
  },
  async deliveries_pending({ signals, nowMs }) {
    const { pending, oldestPendingAt } = await signals()
    return oldestPendingAt ? [ofAll((nowMs - oldestPendingAt.getTime()) / 1_000, pending)] : []
  },
  approvals_waiting: ({ db, workspace }) => waitingApprovals(db, workspace),
  keys_ending: ({ db, workspace }) => endingKeys(db, workspace),
  subscriptions_failing: ({ db, workspace }) => failingSubscriptions(db, workspace),
  budgets_soft: async ({ budgets }) => sharesOf(await budgets(), 'softLimit'),
  budgets_hard: async ({ budgets }) => sharesOf(await budgets(), 'hardLimit'),
  nodes_lost: ({ db }) => lostNodes(db),
  endpoints_down: ({ db }) => failingEndpoints(db),
}

function sharesOf(budgets: readonly BudgetState[], limit: 'softLimit' | 'hardLimit'): Reading[] {
  return budgets.flatMap(({ id, subject, value, period, spent, [limit]: of }) => {
    if (of === null) return []
    const subjectName = [subject, value, period].filter((part) => part !== '').join(' ')
    return [{ subject: id, subjectName, value: Number(spent) / of, volume: 1 }]
  })
}

const ofAll = (value: number, volume: number): Reading => ({ subject: '', subjectName: null, value, volume })

export function readingSource(
  { db, channels }: Pick<ReadingSource, 'db' | 'channels'>,
  workspace: WorkspaceId,
  nowMs: number,
): ReadingSource {
  let signals: Promise<Signals> | undefined
  let budgets: Promise<BudgetState[]> | undefined
  const recentFrom = new Date(nowMs - recentMs)
  const span = {
    baselineFrom: new Date(nowMs - recentMs - dayMs),
    recentFrom,
    deliveriesFrom: new Date(nowMs - hourMs),
  }
  return {
    db,
    workspace,
    channels,
    nowMs,
    signals() {
      signals ??= readSignals(db, workspace, span)
      return signals
    },
    budgets() {
      budgets ??= listBudgets(db, workspace)
      return budgets
    },
  }
}
