/** A measurement in a process of its own: fresh compiled code and a fresh heap, so that contestants cannot spoil each other's. */
import type { Figures } from '../row.ts'
import type { Scale } from '../scale.ts'
import { forkProgram } from './forked.ts'

/** From the outside: runs the program once. */
export async function measureIn(
  program: URL,
  scale: Scale,
  environment: Record<string, string> = {},
): Promise<Figures> {
  const forked = forkProgram(program, {
    environment,
    arguments: [JSON.stringify(scale)],
    // The collector is called by hand before memory is read and before time is taken.
    nodeOptions: ['--expose-gc'],
  })
  try {
    const { figures } = await forked.next<{ type: 'figures'; figures: Figures }>('figures')
    return figures
  } finally {
    await forked.stop()
  }
}

/** From the inside: what the program does. */
export async function measurement(measure: (scale: Scale) => Promise<Figures>): Promise<void> {
  const scale = JSON.parse(process.argv[2] ?? '{}') as Scale
  const figures = await measure(scale)
  process.send?.({ type: 'figures', figures }, () => process.exit(0))
}

export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('start this program with --expose-gc')
  // Twice: what only finalizers held is freed by the second.
  globalThis.gc()
  globalThis.gc()
}
