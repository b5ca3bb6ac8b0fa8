/** What a loop and those within it have done so far, by place: a resumed turn finds here what an earlier attempt finished. */
import { hash } from 'node:crypto'
import { Failure } from '../../../runtime/failure.ts'
import type { Step, StepPlace } from '../../../store/turns/steps.ts'
import { BoundReached } from '../budget/budget.ts'

export interface Journal {
  /** What an earlier attempt wrote at this place. @throws JournalMismatch where it was another step */
  find(place: StepPlace, digest: string): Step | undefined
  /**
   * Resolves after the commit, which comes after that of every step written behind before it, and has every step that
   * waits for the next write in it.
   * @throws BoundReached (steps) for a new one past the bound
   */
  write(step: Step): Promise<void>
  /** Goes with the next write, in one commit: what follows from it is never stored without it. @throws BoundReached */
  writeWithNext(step: Step): void
  /** Written at once, and nothing waits for it but the next write and `flushed`. Past the bound it is not stored. */
  writeBehind(step: Step, onWritten?: () => void): void
  /** Resolves when everything is written, or has failed; the first failure is thrown. */
  flushed(): Promise<void>
}

/** A resumed turn came to a place where another step is stored than the one it makes. */
export class JournalMismatch extends Failure {
  readonly code = 'journal_mismatch'
  readonly place: Pick<StepPlace, 'path' | 'n'>
  constructor({ path, n }: Pick<StepPlace, 'path' | 'n'>) {
    super(`step ${n} of ${path || 'the main loop'} is not the one that an earlier attempt of this turn made`)
    this.place = { path, n }
  }
}

export interface JournalOptions {
  /** One step more. False: the turn has as many as it may. */
  takeStep(): boolean
  /** After each commit that somebody waited for. */
  yieldToLoop(): Promise<void>
}

export function openJournal(
  writer: { write(...steps: readonly Step[]): Promise<void> },
  earlier: readonly Step[],
  { takeStep, yieldToLoop }: JournalOptions,
): Journal {
  const earlierByPlace = new Map(earlier.map((step) => [placeKey(step), step]))
  const places = new Set(earlierByPlace.keys())
  const underWay = new Set<Promise<void>>()
  let forNextWrite: Step[] = []
  let nextWrite: Promise<void> | undefined
  let failure: unknown

  function hasRoomFor(step: Step): boolean {
    const key = placeKey(step)
    if (places.has(key)) return true
    if (!takeStep()) return false
    places.add(key)
    return true
  }

  function writeWithNext(step: Step): void {
    if (!hasRoomFor(step)) throw new BoundReached('steps')
    forNextWrite.push(step)
  }

  /** Never rejects: the first failure, also that of `onWritten`, is the turn's, and is thrown by whoever waits. */
  function send(steps: readonly Step[], onWritten?: () => void): Promise<void> {
    const sent = writer
      .write(...steps)
      .then(onWritten)
      .catch((error: unknown) => {
        failure ??= error
      })
    underWay.add(sent)
    void sent.then(() => underWay.delete(sent))
    return sent
  }

  /** An answer is stored after the results that it was told: stored without one of them, it was told of no unknown effect. */
  function sendAfterOthers(step: Step, onWritten?: () => void): void {
    const sent = Promise.all(underWay).then(() => (failure === undefined ? send([step], onWritten) : undefined))
    underWay.add(sent)
    void sent.then(() => underWay.delete(sent))
  }

  async function written(): Promise<void> {
    do await Promise.all(underWay)
    while (underWay.size > 0)
  }

  /**
   * What is written while the commit before is under way shares the next one. One after the other: a call is never stored
   * without what led to it, nor the first step of a plan without the plan.
   */
  async function flush(): Promise<void> {
    await written()
    const steps = forNextWrite
    forNextWrite = []
    nextWrite = undefined
    if (failure === undefined) await send(steps)
    if (failure !== undefined) throw failure
  }

  return {
    find(place, digest) {
      const step = earlierByPlace.get(placeKey(place))
      if (step && step.digest !== digest) throw new JournalMismatch(place)
      return step
    },
    async write(step) {
      writeWithNext(step)
      nextWrite ??= flush()
      await nextWrite
      await yieldToLoop()
    },
    writeWithNext,
    writeBehind(step, onWritten) {
      if (!hasRoomFor(step)) return
      if (step.kind === 'model' && underWay.size > 0) sendAfterOthers(step, onWritten)
      else void send([step], onWritten)
    },
    async flushed() {
      if (forNextWrite.length > 0) nextWrite ??= flush()
      await nextWrite
      await written()
      if (failure !== undefined) throw failure
    },
  }
}

const placeKey = ({ path, n }: Pick<StepPlace, 'path' | 'n'>): string => `${path}#${n}`

/** 32 hexadecimal digits: which tool was called with what. */
export function digestOf(name: string, callArguments: unknown): string {
  return hash('sha256', JSON.stringify([name, callArguments]), 'hex').slice(0, 32)
}
