/** When keys were last used: collected here and written later, many in one statement. */
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { KeyUse } from '../../store/api-keys/uses.ts'

export interface KeyUses {
  /** Does not block: it is written within a few seconds. */
  note(id: KeyUse['id']): void
  /** Writes what was noted so far. */
  close(): Promise<void>
}

/** Keys that may wait to be written. Further ones are skipped, and noted at their next use. */
const waitingMax = 10_000
const batchMax = 1_000
const lingerMs = seconds(2)
const retryMs = seconds(30)

export function keyUses(options: { clock: Clock; write(uses: readonly KeyUse[]): Promise<void> }): KeyUses {
  const { clock } = options
  const waiting = new Map<KeyUse['id'], Date>()
  let timer: Timer | undefined
  let writing: Promise<void> | undefined
  let isClosed = false

  /** After a failure the keys wait for the next attempt. Nothing is logged: others log that the database is down. */
  async function write(): Promise<void> {
    const uses = [...waiting].slice(0, batchMax).map(([id, at]) => ({ id, at }))
    const isWritten = await options.write(uses).then(
      () => true,
      () => false,
    )
    if (isWritten) for (const { id, at } of uses) if (waiting.get(id) === at) waiting.delete(id)
    writing = undefined
    if (waiting.size > 0 && !isClosed) writeIn(isWritten ? 0 : retryMs)
  }

  function writeIn(delayMs: number): void {
    timer = clock.after(delayMs, () => {
      timer = undefined
      writing = write()
    })
  }

  return {
    note(id) {
      if (isClosed || (waiting.size >= waitingMax && !waiting.has(id))) return
      waiting.set(id, new Date(clock.now()))
      if (!timer && !writing) writeIn(lingerMs)
    },
    async close() {
      isClosed = true
      timer?.cancel()
      await writing
      if (waiting.size > 0) await write()
    },
  }
}
