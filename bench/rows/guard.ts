/** The guard by itself: what a message costs that finds nothing of it in the processor's caches, and one that finds all. */
import type { Row } from '../row.ts'
import { measurePrograms } from './programs.ts'

export const guardRow: Row = {
  name: 'guard',
  what: 'A message of 330 characters, processor time: after a walk over 8 and over 32 MiB of other memory, then again and again; floor: each character read once.',
  lines: [
    { label: 'behind 8 MiB', figure: 'cold8Us', unit: 'µs', digits: 1, isAdded: true },
    { label: 'behind 32 MiB', figure: 'cold32Us', unit: 'µs', digits: 1, isAdded: true },
    { label: 'again and again', figure: 'warmUs', unit: 'µs', digits: 1 },
  ],
  measure: (bench) => measurePrograms(bench, { ours: 'ours/guard.ts', floor: 'floors/guard.ts' }),
}
