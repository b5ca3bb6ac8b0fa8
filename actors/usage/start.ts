/** Follows the prices, and keeps the sums of usage up to date. */
import type { Log } from '../../runtime/log/log.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { Changes } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import { readPrices } from '../../store/usage/prices.ts'
import { addToSums } from '../../store/usage/sums.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { PriceBook } from './price-book.ts'

interface Parts {
  db: Database
  prices: PriceBook
  log: Log
}

/** @returns ends it */
export async function startPrices({ db, prices, changes, log }: Parts & { changes: Changes }): Promise<() => void> {
  const refresh = async () => prices.use(await readPrices(db))
  // Before the first look: no change falls between the two.
  const leave = changes.onChange('prices', () => {
    refresh().catch((error: unknown) =>
      log.error({ err: error }, 'changed prices could not be read; those before them stay'),
    )
  })
  await refresh()
  return leave
}

/** A notice that was lost. */
export function priceRefresh({ db, prices }: Pick<Parts, 'db' | 'prices'>): MaintenanceTask {
  return { name: 'prices', intervalMs: seconds(30), run: async () => prices.use(await readPrices(db)) }
}

/** Runs of one interval: what they leave is read from the entries. */
const runsMax = 20

export function usageSums({ db }: Pick<Parts, 'db'>): MaintenanceTask {
  return {
    name: 'usage',
    isForAll: true,
    intervalMs: seconds(2),
    async run(signal, held) {
      for (let run = 0; run < runsMax && !signal.aborted; run++) if ((await addToSums(db, held)) === 0) return
    },
  }
}
