/**
 * Transactions through the one door: postgres.js may go on with a transaction's callback on a new connection after its
 * own is lost, and commit there. Here a transaction whose connection is gone takes no more queries.
 */
import type { Sql as Driver } from 'postgres'
import type { Deadlines } from '../runtime/actor/deadlines.ts'
import { storeError, TransactionLost } from './errors.ts'
import { boundedQuery, type Query } from './sql.ts'

export interface Transactions {
  run<Result>(work: (query: Query) => Promise<Result>): Promise<Result>
  /** A connection of the pool is lost: which transaction had it we cannot know, so none of them goes on. */
  lost(): void
}

export function transactions(driver: () => Driver, deadlines: Deadlines): Transactions {
  const open = new Set<{ isDead: boolean }>()

  return {
    async run(work) {
      const transaction = { isDead: false }
      open.add(transaction)
      try {
        const result = await driver().begin((tx) => {
          const query = boundedQuery(tx, deadlines)
          const guarded: Query = (text, ...values) =>
            transaction.isDead ? Promise.reject(new TransactionLost()) : query(text, ...values)
          return work(guarded).then((value) => {
            if (transaction.isDead) throw new TransactionLost()
            return { value }
          })
        })
        return (result as { value: Awaited<ReturnType<typeof work>> }).value
      } catch (error) {
        throw storeError(error)
      } finally {
        transaction.isDead = true
        open.delete(transaction)
      }
    },
    lost() {
      for (const transaction of open) transaction.isDead = true
    },
  }
}
