/** Checks whether the service can work. One check of the database runs at a time, for a bounded time. */
import { atMost } from '../../runtime/time/at-most.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Readiness } from '../app.ts'

export interface ReadinessSources {
  clock: Clock
  isDatabaseUp(): Promise<boolean>
  schemaState(): Promise<'ready' | 'pending' | 'newer'>
  isDraining(): boolean
}

/** A database that has not answered by then counts as down. */
const checkMsMax = 2_000
/** Anybody may ask, so results are reused: frequent requests must not become queries. */
const freshMs = 250

export function readinessProbe(sources: ReadinessSources): () => Promise<Readiness> {
  const { clock } = sources
  let pendingCheck: Promise<Readiness> | undefined
  let last: { atMs: number; readiness: Readiness } | undefined

  async function check(): Promise<Readiness> {
    const [database, schema] = await atMost(checkMsMax, inspect(sources), { clock, onLate: () => down })
    const readiness = { isReady: database === 'up' && schema === 'ready', database, schema, isDraining: false }
    last = { atMs: clock.elapsed(), readiness }
    return readiness
  }

  return async () => {
    const isDraining = sources.isDraining()
    const isFresh = last !== undefined && clock.elapsed() - last.atMs < freshMs
    if (isFresh && last) return withDraining(last.readiness, isDraining)
    pendingCheck ??= check().finally(() => {
      pendingCheck = undefined
    })
    return withDraining(await pendingCheck, isDraining)
  }
}

const withDraining = (readiness: Readiness, isDraining: boolean): Readiness =>
  isDraining ? { ...readiness, isReady: false, isDraining } : readiness

type DatabaseState = readonly [database: Readiness['database'], schema: Readiness['schema']]
const down: DatabaseState = ['down', 'unknown']

async function inspect(sources: ReadinessSources): Promise<DatabaseState> {
  try {
    if (!(await sources.isDatabaseUp())) return down
    return ['up', await sources.schemaState()]
  } catch {
    // What fails the check would fail other work too. The store has logged the cause.
    return down
  }
}
