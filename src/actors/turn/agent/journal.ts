/** What a turn has done so far, by place: a turn that is begun again finds here what an earlier try finished. */
import { hash } from 'node:crypto'
import type { Step, StepPlace, StepWriter } from '../../../store/turn-steps.ts'

export interface Journal {
  /** What an earlier try wrote at this place. @throws JournalMismatch where it was another step */
  earlier(place: StepPlace, digest: string): Step | undefined
  /** Resolves after the commit. */
  write(step: Step): Promise<void>
  /** As `write`, for what nothing waits for; `settled` waits for it. */
  note(step: Step): void
  /** Resolves when every note is written or has failed; the first failure is thrown. */
  settled(): Promise<void>
}

/** A turn that is begun again came by another way to a place: what is stored there cannot be its own. */
export class JournalMismatch extends Error {
  override readonly name = 'JournalMismatch'
  constructor({ path, n }: StepPlace) {
    super(`step ${n} of ${path || 'the main loop'} is not the one that an earlier try of this turn made`)
  }
}

export function openJournal(writer: StepWriter, earlier: readonly Step[]): Journal {
  const known = new Map(earlier.map((step) => [placeKey(step), step]))
  const notes = new Set<Promise<void>>()
  let failure: unknown

  return {
    earlier(place, digest) {
      const step = known.get(placeKey(place))
      if (step && step.digest !== digest) throw new JournalMismatch(place)
      return step
    },
    write: (step) => writer.write(step),
    note(step) {
      const noted = writer.write(step).catch((error: unknown) => {
        failure ??= error
      })
      notes.add(noted)
      void noted.then(() => notes.delete(noted))
    },
    async settled() {
      await Promise.all(notes)
      if (failure !== undefined) throw failure
    },
  }
}

const placeKey = ({ path, n }: Pick<StepPlace, 'path' | 'n'>): string => `${path}#${n}`

/** 32 hexadecimal digits: which tool was asked what. */
export function digestOf(name: string, given: unknown): string {
  return hash('sha256', JSON.stringify([name, given]), 'hex').slice(0, 32)
}
