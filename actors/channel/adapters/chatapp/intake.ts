/** Takes updates in, in order for each chat, and decides what becomes of one that is not taken. */
import { exponential } from '../../../../runtime/time/backoff.ts'
import { sleep } from '../../../../runtime/time/clock.ts'
import { ms, seconds } from '../../../../runtime/time/duration.ts'
import { sqlStateOf } from '../../../../store/errors.ts'
import { isRowError } from '../../../../store/postgres/batch-retry.ts'
import type { AdapterDependencies, IncomingMessage } from '../../adapter.ts'
import { incomingOf, Update } from './update.ts'

const again = exponential(ms(200), seconds(30))

/** Of a failure that nobody has foreseen: neither to lose a message for a moment's trouble, nor to hold up all for one. */
const unforeseenTriesMax = 5

/** The service is short of something for now; the message is as good as any other. */
const passingCodes = new Set(['database_down', 'backlog_full', 'batch_full', 'batch_closed'])

/** `skip`: this message will never be taken. `wait`: it will be. */
type Verdict = 'wait' | 'skip' | 'unforeseen'

export interface UpdateIntake {
  /** Resolves once each message is committed or given up. @throws the signal's reason, nothing else */
  takeAll(updates: readonly unknown[], signal: AbortSignal): Promise<void>
  /** One try. Resolves once the message is committed or given up. @throws why it was not taken, where another try may help */
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

  async function takePatiently(message: IncomingMessage, trouble: Trouble, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await take(message)
      } catch (error) {
        signal.throwIfAborted()
        const verdict = verdictOn(error)
        if (verdict === 'skip' || (verdict === 'unforeseen' && tries >= unforeseenTriesMax)) return skip(error, message)
        if (!trouble.isTold) log.warn({ err: error }, 'messages cannot be taken for now; they are tried again')
        trouble.isTold = true
        await sleep(clock, again.delayMs(tries, random), signal)
      }
    }
  }

  return {
    async takeAll(updates, signal) {
      const trouble: Trouble = { isTold: false }
      const messages = updates.map(read).filter((message) => message !== null)
      const byChat = Map.groupBy(messages, ({ externalId }) => externalId)
      const chats = [...byChat.values()].map(async (ofChat) => {
        for (const message of ofChat) await takePatiently(message, trouble, signal)
      })
      // All of them end before this does: nothing is taken behind the back of whoever closed.
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

/** One line for all chats of a batch. */
interface Trouble {
  isTold: boolean
}

function verdictOn(error: unknown): Verdict {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  if (typeof code === 'string' && passingCodes.has(code)) return 'wait'
  const state = sqlStateOf(error)
  if (state === undefined) return 'unforeseen'
  // Class 54: larger than a row or an index may be. Other states tell of the database, not of the message.
  return isRowError(error) || state.startsWith('54') ? 'skip' : 'wait'
}

export function updateIdOf(raw: unknown): number | undefined {
  const id = typeof raw === 'object' && raw !== null ? (raw as { update_id?: unknown }).update_id : undefined
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined
}

/** Where and what, never the value. */
function problemOf(error: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.')}: ${issue.message}` : ''
}
