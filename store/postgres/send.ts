/** Sends a query and bounds its time: patient while it cannot be sent, never twice once it was. */
import type { PendingQuery } from 'postgres'
import type { Deadline, Deadlines } from '../../runtime/actor/deadlines.ts'
import { DatabaseDown, DatabaseHangs, storeError } from '../errors.ts'

/** How long a query waits to be sent: a database that restarts is back by then, and callers hear so this soon. */
export const waitMs = 5_000

/** One that was sent and has no answer for this long is given up: the connection hangs. Statements have limits of their own. */
const answerMs = 40_000

const retryMs = 50

/**
 * @param make a new query of the driver for each try; one that failed before it was sent changed nothing
 * @param patienceMs how long it may be tried; at most `waitMs`
 * @throws DatabaseDown
 */
export function sendInTime<Row extends object>(
  make: () => PendingQuery<Row[]>,
  deadlines: Deadlines,
  patienceMs = waitMs,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    let query: PendingQuery<Row[]>
    let lastError: unknown
    let isImpatient = false

    const patience: Deadline = {
      expire() {
        isImpatient = true
        // A cancel would be worse than a late answer: the driver loses a connection whose first query is cancelled.
        if (wasSent(query)) deadlines.add(answer, answerMs)
        else reject(lastError ?? new DatabaseHangs(`not sent within ${patienceMs} ms`))
      },
    }
    const answer: Deadline = { expire: () => reject(new DatabaseHangs(`no answer within ${answerMs} ms`)) }
    const retry: Deadline = { expire: send }

    function settle(): void {
      deadlines.remove(patience)
      deadlines.remove(answer)
    }

    function send(): void {
      if (isImpatient) return
      query = make()
      query.then(
        (rows) => {
          settle()
          resolve(rows)
        },
        (thrown: unknown) => {
          const error = storeError(thrown)
          if (error instanceof DatabaseDown && !wasSent(query) && !isImpatient) {
            lastError = error
            deadlines.add(retry, retryMs)
            return
          }
          settle()
          reject(error)
        },
      )
    }

    deadlines.add(patience, patienceMs)
    send()
  })
}

/**
 * The driver (3.4.9, pinned) puts the backend's id here as it writes the query to the socket. What fails before that was
 * refused a connection, or got the error on which the connection before it had ended (the driver forgets to forget it).
 */
function wasSent(query: object): boolean {
  return (query as { state?: unknown }).state !== null
}
