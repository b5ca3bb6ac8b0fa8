/** Takes updates, in order for each chat, and decides whether a failed one is retried or skipped. */
import { causeOf, isOutage } from '../../../../runtime/failure.ts'
import { exponential } from '../../../../runtime/time/backoff.ts'
import { sleep } from '../../../../runtime/time/clock.ts'
import { ms, seconds } from '../../../../runtime/time/duration.ts'
import { sqlStateOf } from '../../../../store/errors.ts'
import { isRowError } from '../../../../store/postgres/batch-retry.ts'
import type { AdapterDependencies, IncomingMessage } from '../../adapter.ts'
import { incomingOf, Update } from './update.ts'

const backoff = exponential(ms(200), seconds(30))

/** For unexpected errors: enough that a short problem loses no message, few enough that one message does not block the others. */
const unforeseenAttemptsMax = 5

/** `skip`: this message can never be taken. `wait`: it can be taken later. `unforeseen`: retried a few times, then skipped. */
type Verdict = 'wait' | 'skip' | 'unforeseen'

export interface UpdateIntake {
  /** Resolves once each message is committed or skipped. @throws only the signal's reason */
  takeAll(updates: readonly unknown[], signal: AbortSignal): Promise<void>
  /** One attempt. Resolves once the message is committed or skipped. @throws the error, where another attempt may help */
  takeOnce(update: unknown): Promise<void>
}

export function updateIntake({ clock, random, log, take }: AdapterDependencies): UpdateIntake {
  /** Null: there is nothing to take. */
  function read(raw: unknown): IncomingMessage | null {
    const update = Update.safeParse(raw)
    if (update.success) return incomingOf(update.data)
    log.warn({ update: updateIdOf(raw), problem: problemOf(update.error) }, 'an update cannot be read and is skipped')
    return null
  }

  function skip(error: unknown, message: IncomingMessage): void {
    log.error({ err: error, message: message.messageId }, 'a message cannot be taken and is skipped')
  }

  async function takeOrSkip(message: IncomingMessage, trouble: Trouble, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await take(message)
      } catch (error) {
        signal.throwIfAborted()
        const verdict = verdictOn(error)
        if (verdict === 'skip' || (verdict === 'unforeseen' && attempt >= unforeseenAttemptsMax))
          return skip(error, message)
        if (!trouble.isLogged) log.warn({ ...causeOf(error) }, 'messages cannot be taken for now; they are retried')
        trouble.isLogged = true
        await sleep(clock, backoff.delayMs(attempt, random), signal)
      }
    }
  }

  return {
    async takeAll(updates, signal) {
      const trouble: Trouble = { isLogged: false }
      const messages = updates.map(read).filter((message) => message !== null)
      const byChat = Map.groupBy(messages, ({ externalId }) => externalId)
      const chats = [...byChat.values()].map(async (ofChat) => {
        for (const message of ofChat) await takeOrSkip(message, trouble, signal)
      })
      // Waits for all chats, so that nothing is taken after a close.
      await Promise.allSettled(chats)
      signal.throwIfAborted()
      await Promise.all(chats)
    },
    async takeOnce(raw) {
      const message = read(raw)
      if (!message) return
      try {
        await take(message)
      } catch (error) {
        if (verdictOn(error) !== 'skip') throw error
        skip(error, message)
      }
    },
  }
}

/** Logged once for all chats of a batch. */
interface Trouble {
  isLogged: boolean
}

function verdictOn(error: unknown): Verdict {
  if (isOutage(error)) return 'wait'
  const state = sqlStateOf(error)
  if (state === undefined) return 'unforeseen'
  // Class 54: too large for a row or an index. Other states are problems of the database, not of the message.
  return isRowError(error) || state.startsWith('54') ? 'skip' : 'wait'
}

export function updateIdOf(raw: unknown): number | undefined {
  const id = typeof raw === 'object' && raw !== null ? (raw as { update_id?: unknown }).update_id : undefined
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined
}

/** The field and the problem, never the value. */
function problemOf(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.')}: ${issue.message}` : ''
}
