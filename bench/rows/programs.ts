/** Rows whose contestants are programs that measure themselves, each run in a process of its own. */
import { interleaved } from '../interleave.ts'
import { measureIn } from '../process/measurement.ts'
import type { Bench, Role, Samples } from '../row.ts'

/** @param programs by role, relative to the folder of the benchmark */
export function measurePrograms(bench: Bench, programs: Partial<Record<Role, string>>): Promise<Samples> {
  const contestants = Object.fromEntries(
    Object.entries(programs).map(([role, path]) => [
      role,
      () => measureIn(new URL(`../${path}`, import.meta.url), bench.scale),
    ]),
  )
  return interleaved(contestants, bench.runs, bench.say)
}
