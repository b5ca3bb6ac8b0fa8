/** What clients of a crash test do, and how it is judged afterwards. */
import type { Random } from '../../runtime/random.ts'
import type { Database } from '../../store/database.ts'
import type { EventReader } from './event-reader.ts'
import type { Judgement } from './judge.ts'
import type { Outside } from './outside.ts'
import type { UnderKill } from './under-kill.ts'

export type Counts = Record<string, number | Record<string, number>>

export interface Judged extends Judgement {
  /** What else was counted, by kind of work. */
  counts: Counts
}

export interface Load {
  /** Nobody asks or says anything new, and each has heard what became of the last. */
  stop(): Promise<void>
  judge(db: Database): Promise<Judged>
  /** Those who watch go, and those who decide. */
  close(): Promise<void>
}

export interface LoadParts {
  service: Pick<UnderKill, 'url' | 'wasKilled'>
  world: Outside
  reader: EventReader
  key: string
  random: Random
}
