/** What a turn has done so far, by place: a turn that is begun again finds here what an earlier try finished. */
import { hash } from 'node:crypto'
import { type Step, type StepPlace, type StepWriter, stepsMax } from '../../../store/turn-steps.ts'
import { BoundReached } from './budget.ts'

export interface Journal {
  /** What an earlier try wrote at this place. @throws JournalMismatch where it was another step */
  earlier(place: StepPlace, digest: string): Step | undefined
  /** Resolves after the commit, which comes after that of every note before it. @throws BoundReached (steps) for a new one past the bound */
  write(step: Step): Promise<void>
  /** As `write`, for what nothing waits for; `settled` waits for it. Past the bound it is not kept. */
  note(step: Step): void
  /** Resolves when every note is written or has failed; the first failure is thrown. */
  settled(): Promise<void>
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
  const notes = new Set<Promise<void>>()
  let failure: unknown

  function hasRoomFor(step: Step): boolean {
    const key = placeKey(step)
    if (places.size >= most && !places.has(key)) return false
    places.add(key)
    return true
  }

  async function settled(): Promise<void> {
    await Promise.all(notes)
    if (failure !== undefined) throw failure
  }

  return {
    earlier(place, digest) {
      const step = known.get(placeKey(place))
      if (step && step.digest !== digest) throw new JournalMismatch(place)
      return step
    },
    async write(step) {
      if (!hasRoomFor(step)) throw new BoundReached('steps')
      // What a call follows from has to be there when the call is: a plan, before its first step.
      await settled()
      await writer.write(step)
    },
    note(step) {
      if (!hasRoomFor(step)) return
      const noted = writer.write(step).catch((error: unknown) => {
        failure ??= error
      })
      notes.add(noted)
      void noted.then(() => notes.delete(noted))
    },
    settled,
  }
}

const placeKey = ({ path, n }: Pick<StepPlace, 'path' | 'n'>): string => `${path}#${n}`

/** 32 hexadecimal digits: which tool was asked what. */
export function digestOf(name: string, given: unknown): string {
  return hash('sha256', JSON.stringify([name, given]), 'hex').slice(0, 32)
}
