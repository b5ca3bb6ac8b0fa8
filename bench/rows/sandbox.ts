/** Sandboxes of code: how long a program that does nothing takes from the call to its end. */
import type { Row } from '../row.ts'
import { measurePrograms } from './programs.ts'

export const sandboxRow: Row = {
  name: 'sandbox',
  what: 'A program that does nothing, one after the other: JavaScript in QuickJS on a thread that is there, and sh in bubblewrap, left out where that is missing; floor: sh as a plain child process.',
  lines: [
    { label: 'QuickJS, start to end, p50', figure: 'quickjsP50Ms', unit: 'ms', digits: 2 },
    { label: 'QuickJS, start to end, p99', figure: 'quickjsP99Ms', unit: 'ms', digits: 2 },
    { label: 'QuickJS, the first, with its thread', figure: 'quickjsFirstMs', unit: 'ms', digits: 1 },
    { label: 'sh, start to end, p50', figure: 'shellP50Ms', unit: 'ms', digits: 2, isAdded: true },
    { label: 'sh, start to end, p99', figure: 'shellP99Ms', unit: 'ms', digits: 2 },
  ],
  measure: (bench) => measurePrograms(bench, { ours: 'ours/sandbox.ts', floor: 'floors/sandbox.ts' }),
}
