/** What a turn has done so far, by place: a turn that is begun again finds here what an earlier try finished. */
import { hash } from 'node:crypto'
import { type Step, type StepPlace, type StepWriter, stepsMax } from '../../../store/turns/steps.ts'
import { BoundReached } from '../budget/budget.ts'
import { yieldToLoop } from './yield-to-loop.ts'

export interface Journal {
  /** What an earlier try wrote at this place. @throws JournalMismatch where it was another step */
  find(place: StepPlace, digest: string): Step | undefined
  /**
   * Resolves after the commit, which comes after that of every note before it and has every held step in it.
   * @throws BoundReached (steps) for a new one past the bound
   */
  write(step: Step): Promise<void>
  /** Goes with the next write, in one commit: what follows from it is never kept without it. @throws BoundReached */
  writeWithNext(step: Step): void
  /** Written at once, and nothing waits for it but the next write and `settled`. Past the bound it is not kept. */
  writeBehind(step: Step, onWritten?: () => void): void
  /** Resolves when everything is written, what was held too, or has failed; the first failure is thrown. */
  flushed(): Promise<void>
}

/** A turn that is begun again came by another way to a place: what is stored there cannot be its own. */
export class JournalMismatch extends Error {
  override readonly name = 'JournalMismatch'
  readonly place: Pick<StepPlace, 'path' | 'n'>
  constructor({ path, n }: Pick<StepPlace, 'path' | 'n'>) {
    super(`step ${n} of ${path || 'the main loop'} is not the one that an earlier try of this turn made`)
    this.place = { path, n }
  }
}

/** @param most steps of one turn */
export function openJournal(
  writer: Pick<StepWriter, 'write'>,
  earlier: readonly Step[],
  most: number = stepsMax,
): Journal {
  const known = new Map(earlier.map((step) => [placeKey(step), step]))
  const places = new Set(known.keys())
  const underWay = new Set<Promise<void>>()
  let held: Step[] = []
  let gathering: Promise<void> | undefined
  let failure: unknown

  function hasRoomFor(step: Step): boolean {
    const key = placeKey(step)
    if (places.size >= most && !places.has(key)) return false
    places.add(key)
    return true
  }

  function hold(step: Step): void {
    if (!hasRoomFor(step)) throw new BoundReached('steps')
    held.push(step)
  }

  /** Never rejects: the first failure, also of whoever hears of it, is that of the turn, and is thrown by whoever waits. */
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

  async function written(): Promise<void> {
    do await Promise.all(underWay)
    while (underWay.size > 0)
  }

  /**
   * What is written while the commit before is under way shares the next one. One after the other: what a call follows
   * from has to be there when the call is, a plan before its first step.
   */
  async function flush(): Promise<void> {
    await written()
    const steps = held
    held = []
    gathering = undefined
    if (failure === undefined) await send(steps)
    if (failure !== undefined) throw failure
  }

  return {
    find(place, digest) {
      const step = known.get(placeKey(place))
      if (step && step.digest !== digest) throw new JournalMismatch(place)
      return step
    },
    async write(step) {
      hold(step)
      gathering ??= flush()
      await gathering
      await yieldToLoop()
    },
    writeWithNext: hold,
    writeBehind(step, onWritten) {
      if (hasRoomFor(step)) void send([step], onWritten)
    },
    async flushed() {
      if (held.length > 0) gathering ??= flush()
      await gathering
      await written()
      if (failure !== undefined) throw failure
    },
  }
}

const placeKey = ({ path, n }: Pick<StepPlace, 'path' | 'n'>): string => `${path}#${n}`

/** 32 hexadecimal digits: which tool was asked what. */
export function digestOf(name: string, given: unknown): string {
  return hash('sha256', JSON.stringify([name, given]), 'hex').slice(0, 32)
}
