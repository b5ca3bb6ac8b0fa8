/** Follows prices and budgets, and keeps the sums of usage up to date. */
import type { Log } from '../../runtime/log/log.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { Changes } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import { tellReachedBudgets } from '../../store/usage/budgets.ts'
import { mendMark } from '../../store/usage/mark.ts'
import { readPrices } from '../../store/usage/prices.ts'
import { addToSums } from '../../store/usage/sums.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { BudgetKeeper } from './budget-keeper.ts'
import type { PriceBook } from './price-book.ts'

interface Parts {
  db: Database
  prices: PriceBook
  budgets: BudgetKeeper
  log: Log
}

/** @returns ends it */
export async function startPrices({ changes, log, ...parts }: Parts & { changes: Changes }): Promise<() => void> {
  if (await mendMark(parts.db))
    log.warn('the database was loaded from another server; its sums of usage go on from here')
  const refresh = () => refreshPrices(parts)
  // Before the first look: no change falls between the two.
  const leave = changes.onChange('prices', () => {
    refresh().catch((error: unknown) =>
      log.error({ err: error }, 'changed prices and budgets could not be read; those before them stay'),
    )
  })
  await refresh()
  return leave
}

async function refreshPrices({ db, prices, budgets }: Omit<Parts, 'log'>): Promise<void> {
  prices.use(await readPrices(db))
  await budgets.refresh()
}

/** A notice that was lost. */
export function priceRefresh(parts: Omit<Parts, 'log'>): MaintenanceTask {
  return { name: 'prices', intervalMs: seconds(30), run: () => refreshPrices(parts) }
}

/** Runs of one interval: what they leave is read from the entries. */
const runsMax = 20

/** Half a minute. */
const quietRunsMax = 15

export function usageSums({ db }: Pick<Parts, 'db'>): MaintenanceTask {
  let quietRuns = 0
  return {
    name: 'usage',
    isForAll: true,
    intervalMs: seconds(2),
    async run(signal, held) {
      let added = 0
      for (let run = 0; run < runsMax && !signal.aborted; run++) {
        const entries = await addToSums(db, held)
        if (entries === 0) break
        added += entries
      }
      // Also where nothing is added: a long transaction elsewhere holds entries back, and budgets count those too.
      if (added > 0 || ++quietRuns % quietRunsMax === 0) await tellReachedBudgets(db, held)
    },
  }
}
