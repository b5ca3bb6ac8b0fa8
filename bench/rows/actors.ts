/** The actor system alone: tells, asks, and the memory of many actors. */
import type { Row } from '../row.ts'
import { measurePrograms } from './programs.ts'

export const actorRows: Row[] = [
  {
    name: 'tell',
    what: 'Messages to one actor in bursts of 1,000; floor: an array drained by a microtask; peer: nact.',
    lines: [
      {
        label: 'tell',
        figure: 'tellsPerS',
        unit: '1/s',
        targets: [
          { of: 'ours/floor', atLeast: 0.3 },
          { of: 'ours/peer', atLeast: 8 },
        ],
      },
    ],
    measure: (bench) =>
      measurePrograms(bench, { ours: 'ours/tell.ts', floor: 'floors/tell.ts', peer: 'peers/tell.ts' }),
  },
  {
    name: 'ask',
    what: 'Questions of 100 callers to one actor, each waiting for its answer; floor: the same array and a promise; peer: nact.',
    lines: [{ label: 'ask', figure: 'asksPerS', unit: '1/s', targets: [{ of: 'ours/floor', atLeast: 0.3 }] }],
    measure: (bench) => measurePrograms(bench, { ours: 'ours/ask.ts', floor: 'floors/ask.ts', peer: 'peers/ask.ts' }),
  },
  {
    name: 'crowd',
    what: 'Many actors with a little state, live and after they have left memory; floor: array mailboxes in a map; peer: nact.',
    lines: [
      { label: 'heap of a live actor', figure: 'liveBytes', unit: 'bytes' },
      { label: 'resident memory of a live actor', figure: 'liveResidentBytes', unit: 'bytes' },
      { label: 'heap of a passivated actor', figure: 'passivatedBytes', unit: 'bytes', digits: 1 },
    ],
    measure: (bench) =>
      measurePrograms(bench, { ours: 'ours/crowd.ts', floor: 'floors/crowd.ts', peer: 'peers/crowd.ts' }),
  },
]
