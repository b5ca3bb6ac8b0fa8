/** Polls the bot API for updates. A poll for later updates acknowledges the earlier ones. */
import { z } from 'zod'
import { exponential } from '../../../../runtime/time/backoff.ts'
import { sleep } from '../../../../runtime/time/clock.ts'
import { seconds } from '../../../../runtime/time/duration.ts'
import type { AdapterDependencies } from '../../adapter.ts'
import { type BotApi, BotApiFailed } from './api.ts'
import { type UpdateIntake, updateIdOf } from './intake.ts'
import { allowedUpdates } from './update.ts'

const waitS = 25
/** A poll without an answer after this has failed. */
const pollMs = seconds(waitS + 15)
const updatesMax = 100

/** Failures in a row that are retried here; after one more the connection is lost. */
const failuresMax = 3
const backoff = exponential(seconds(1), seconds(10))

/** The pause before the next poll of a server that answers "no updates" without waiting. */
const emptyPollMsMin = seconds(1)

/** After a week without updates the server may start with lower numbers again. */
const offsetAgeMsMax = seconds(6 * 86_400)

const Updates = z.array(z.unknown()).max(10_000)

/** Which updates were taken. Shared by successive connections. */
export interface Cursor {
  /** The first update that was not taken; undefined: the server decides. */
  offset: number | undefined
  movedMs: number
}

export interface Polling {
  api: BotApi
  intake: UpdateIntake
  cursor: Cursor
  dependencies: Pick<AdapterDependencies, 'clock' | 'random' | 'log'>
  /** Called with each poll that was answered. */
  onAnswer(): void
}

/** Polls until the signal aborts, then resolves. @throws BotApiFailed where further polls are pointless */
export async function poll(polling: Polling, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = polling.dependencies
  for (let failures = 0; !signal.aborted; ) {
    try {
      await pollOnce(polling, signal)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures++
      if (!(error instanceof BotApiFailed) || isRefusal(error) || failures > failuresMax) throw error
      log.warn({ reason: error.message, failures }, 'the poll for updates failed; it is retried')
      const delayMs = Math.max(error.retryAfterMs ?? 0, backoff.delayMs(failures, random))
      await sleep(clock, delayMs, signal).catch(() => undefined) // aborted: the loop ends
    }
  }
}

async function pollOnce({ api, intake, cursor, dependencies, onAnswer }: Polling, signal: AbortSignal): Promise<void> {
  const { clock } = dependencies
  const startedMs = clock.elapsed()
  if (startedMs - cursor.movedMs > offsetAgeMsMax) cursor.offset = undefined
  const updates = await api.call(
    'getUpdates',
    {
      ...(cursor.offset !== undefined && { offset: cursor.offset }),
      timeout: waitS,
      limit: updatesMax,
      allowed_updates: allowedUpdates,
    },
    { result: Updates, signal, timeoutMs: pollMs },
  )
  if (updates.length === 0) {
    onAnswer()
    if (clock.elapsed() - startedMs < emptyPollMsMin) await sleep(clock, emptyPollMsMin, signal)
    return
  }
  const next = 1 + Math.max(-1, ...updates.map((update) => updateIdOf(update) ?? -1))
  // Otherwise such a server would send the same updates again and again, without a pause.
  if (next === 0 || next <= (cursor.offset ?? 0))
    throw new BotApiFailed('getUpdates returned updates that were taken already')
  onAnswer()
  await intake.takeAll(updates, signal)
  cursor.offset = next
  cursor.movedMs = clock.elapsed()
}

/** The token is wrong, or somebody else takes the updates: a retry would not help. */
function isRefusal({ statusCode, isAnswer }: BotApiFailed): boolean {
  return isAnswer && (statusCode === 401 || statusCode === 403 || statusCode === 404 || statusCode === 409)
}
