/** Makes a line of the table from samples: ratios of neighbours first, then the figures, then whether the targets are met. */
import type { Line, Role, Samples, Target } from '../row.ts'
import { type Spread, spread } from '../statistics.ts'

export interface JudgedTarget {
  target: Target
  /** The median that was judged; undefined: not measured in this run. */
  found: number | undefined
  isMet: boolean | undefined
}

export interface JudgedLine {
  label: string
  unit: string
  digits: number
  oursToFloor: Spread | undefined
  oursToPeer: Spread | undefined
  /** Ours minus the floor; only where the line asks for it. */
  added: Spread | undefined
  ours: Spread | undefined
  floor: Spread | undefined
  peer: Spread | undefined
  targets: JudgedTarget[]
}

export function judge(line: Line, samples: Samples): JudgedLine {
  const ours = series(samples, 'ours', line.figure)
  const floor = series(samples, 'floor', line.figure)
  const peer = series(samples, 'peer', line.figure)
  const found = {
    ours: spreadOf(ours),
    'ours/floor': spreadOf(pairs(ours, floor, (our, their) => our / their)),
    'ours/peer': spreadOf(pairs(ours, peer, (our, their) => our / their)),
    'ours-floor': spreadOf(pairs(ours, floor, (our, their) => our - their)),
  }
  return {
    label: line.label,
    unit: line.unit,
    digits: line.digits ?? 0,
    oursToFloor: found['ours/floor'],
    oursToPeer: found['ours/peer'],
    added: line.isAdded ? found['ours-floor'] : undefined,
    ours: found.ours,
    floor: spreadOf(floor),
    peer: spreadOf(peer),
    targets: (line.targets ?? []).map((target) => judgedTarget(target, found[target.of]?.median)),
  }
}

function judgedTarget(target: Target, found: number | undefined): JudgedTarget {
  if (found === undefined) return { target, found, isMet: undefined }
  return { target, found, isMet: 'atLeast' in target ? found >= target.atLeast : found <= target.atMost }
}

function series(samples: Samples, role: Role, figure: string): number[] {
  return (samples[role] ?? []).flatMap((figures) => {
    const value = figures[figure]
    return value === undefined ? [] : [value]
  })
}

/** Only neighbours of one run are compared: a ratio of medians from different minutes says less. */
function pairs(ours: number[], theirs: number[], compare: (our: number, their: number) => number): number[] {
  return ours.slice(0, theirs.length).map((our, index) => compare(our, theirs[index] ?? Number.NaN))
}

function spreadOf(samples: number[]): Spread | undefined {
  return samples.length === 0 ? undefined : spread(samples)
}
