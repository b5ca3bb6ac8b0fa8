/** Measures contestants in turn, so that whatever the machine does meanwhile falls on all of them. */
import type { Figures, Role, Samples } from './row.ts'

export type Contestants = Partial<Record<Role, () => Promise<Figures>>>

/**
 * Every run measures each contestant once. Odd runs go backwards (A B C, C B A, …): a machine that drifts steadily
 * then favours nobody, and nobody always follows the same neighbour.
 */
export async function interleaved(
  contestants: Contestants,
  runs: number,
  say: (line: string) => void,
): Promise<Samples> {
  const entries = Object.entries(contestants) as [Role, () => Promise<Figures>][]
  const samples: Samples = Object.fromEntries(entries.map(([role]) => [role, []]))
  for (let run = 0; run < runs; run++) {
    for (const [role, measure] of run % 2 === 0 ? entries : entries.toReversed()) {
      say(`run ${run + 1} of ${runs}: ${role}`)
      samples[role]?.push(await measure())
    }
  }
  return samples
}
