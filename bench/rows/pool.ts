/** The way to a worker thread and back. */
import type { Row } from '../row.ts'
import { measurePrograms } from './programs.ts'

export const poolRow: Row = {
  name: 'pool',
  what: 'A task that returns what it got, on one thread: one by one, then 64 at a time; floor: Piscina alone.',
  lines: [
    { label: 'round trip', figure: 'roundTripUs', unit: 'µs', digits: 1 },
    { label: 'tasks, 64 at a time', figure: 'tasksPerS', unit: '1/s' },
  ],
  measure: (bench) => measurePrograms(bench, { ours: 'ours/pool.ts', floor: 'floors/pool.ts' }),
}
