/** What a row of the benchmark is: what it measures on whom, which of its figures are printed, and what they must reach. */
import type { Scale } from './scale.ts'

/** Ours, the same work with nothing of ours in the way, and another product that does the same. */
export type Role = 'ours' | 'floor' | 'peer'

/** What one measurement of one contestant found, by name. */
export type Figures = Record<string, number>

/** One entry a run; the entries of one index were measured next to each other. */
export type Samples = Partial<Record<Role, Figures[]>>

export type Target =
  | { of: 'ours' | 'ours/floor' | 'ours/peer' | 'ours-floor'; atLeast: number }
  | { of: 'ours' | 'ours/floor' | 'ours/peer' | 'ours-floor'; atMost: number }

/** One line of the table. */
export interface Line {
  label: string
  /** The name among the figures. */
  figure: string
  unit: string
  /** Digits behind the point. */
  digits?: number
  /** Also print how much is added to the floor, in the figure's own unit. */
  isAdded?: boolean
  targets?: readonly Target[]
}

export interface Row {
  /** What `--row` takes. */
  name: string
  /** One sentence for the reader of the table: what is measured, who shares which core. */
  what: string
  /** Left out unless asked for by name: it takes long, or much disk. */
  isOnRequest?: boolean
  lines: readonly Line[]
  measure(bench: Bench): Promise<Samples>
}

export interface Bench {
  runs: number
  scale: Scale
  /** Progress, for whoever waits. */
  say(line: string): void
}
