/** Finds out whether the service can work: one look at the database at a time, however many ask, and never a long one. */
import type { Clock } from '../../runtime/time/clock.ts'
import type { Readiness } from '../app.ts'

export interface ReadinessSources {
  clock: Clock
  isDatabaseUp(): Promise<boolean>
  schemaState(): Promise<'ready' | 'pending' | 'newer'>
  isDraining(): boolean
}

/** A database that says nothing for this long is down to whoever must decide where to send work. */
const lookMs = 2_000
/** Anybody may ask, so asking often must not become queries. */
const freshMs = 250

export function readinessProbe(sources: ReadinessSources): () => Promise<Readiness> {
  const { clock } = sources
  let looking: Promise<Readiness> | undefined
  let last: { atMs: number; readiness: Readiness } | undefined

  async function look(): Promise<Readiness> {
    const [database, schema] = await within(clock, lookMs, inspect(sources), down)
    const readiness = { isReady: database === 'up' && schema === 'ready', database, schema, isDraining: false }
    last = { atMs: clock.elapsed(), readiness }
    return readiness
  }

  return async () => {
    const isDraining = sources.isDraining()
    const isFresh = last !== undefined && clock.elapsed() - last.atMs < freshMs
    if (isFresh && last) return judged(last.readiness, isDraining)
    looking ??= look().finally(() => {
      looking = undefined
    })
    return judged(await looking, isDraining)
  }
}

const judged = (readiness: Readiness, isDraining: boolean): Readiness =>
  isDraining ? { ...readiness, isReady: false, isDraining } : readiness

type Seen = readonly [database: Readiness['database'], schema: Readiness['schema']]
const down: Seen = ['down', 'unknown']

async function inspect(sources: ReadinessSources): Promise<Seen> {
  try {
    if (!(await sources.isDatabaseUp())) return down
    return ['up', await sources.schemaState()]
  } catch {
    // Whatever hinders the look hinders the work: that is the answer, and the store has logged the cause.
    return down
  }
}

function within<Result>(clock: Clock, limitMs: number, work: Promise<Result>, otherwise: Result): Promise<Result> {
  return new Promise((resolve) => {
    const timer = clock.after(limitMs, () => resolve(otherwise))
    work.then((result) => {
      timer.cancel()
      resolve(result)
    })
  })
}
