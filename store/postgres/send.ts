/** Sends a query in bounded time: retried until it is sent, never repeated after that. */
import type { PendingQuery } from 'postgres'
import type { Deadline, Deadlines } from '../../runtime/actor/deadlines.ts'
import { DatabaseDown, DatabaseHangs, storeError } from '../errors.ts'

/** How long a query waits to be sent: a database that restarts is back by then, and callers do not wait longer. */
export const waitMs = 5_000

/** After this time without an answer the connection counts as hanging. Statements have shorter limits. */
const answerMs = 40_000

const retryMs = 50

/**
 * @param make a new query of the driver for each attempt; one that failed before it was sent changed nothing
 * @param sendWithinMs how long attempts to send it go on; at most `waitMs`
 * @throws DatabaseDown
 */
export function sendInTime<Row extends object>(
  make: () => PendingQuery<Row[]>,
  deadlines: Deadlines,
  sendWithinMs = waitMs,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    let query: PendingQuery<Row[]>
    let lastError: unknown
    let isTooLate = false

    const sending: Deadline = {
      expire() {
        isTooLate = true
        // Not cancelled: the driver loses a connection whose first query is cancelled.
        if (wasSent(query)) deadlines.add(answer, answerMs)
        else reject(lastError ?? new DatabaseHangs(`not sent within ${sendWithinMs} ms`))
      },
    }
    const answer: Deadline = { expire: () => reject(new DatabaseHangs(`no answer within ${answerMs} ms`)) }
    const retry: Deadline = { expire: send }

    function settle(): void {
      deadlines.remove(sending)
      deadlines.remove(answer)
    }

    function send(): void {
      if (isTooLate) return
      query = make()
      query.then(
        (rows) => {
          settle()
          resolve(rows)
        },
        (thrown: unknown) => {
          const error = storeError(thrown)
          if (error instanceof DatabaseDown && !wasSent(query) && !isTooLate) {
            lastError = error
            deadlines.add(retry, retryMs)
            return
          }
          settle()
          reject(error)
        },
      )
    }

    deadlines.add(sending, sendWithinMs)
    send()
  })
}

/**
 * The driver (3.4.9, pinned) sets `state` to the backend's id when it writes the query to the socket. A query that fails
 * before that got no connection, or the error of the previous connection (the driver does not clear it).
 */
function wasSent(query: object): boolean {
  return (query as { state?: unknown }).state !== null
}
