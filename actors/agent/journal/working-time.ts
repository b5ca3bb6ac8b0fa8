/** How long earlier tries of a turn have worked, reckoned from their steps: what is not in the ledger was waiting, or is lost. */
import type { Step } from '../../../store/turns/steps.ts'
import { delegateName } from '../tools/toolset.ts'

type Measured = Pick<Step, 'path' | 'kind' | 'name' | 'startedAt' | 'durationMs'>

/** Milliseconds during which at least one step ran. @param path only the steps of this loop and of those below it; blank: all */
export function workingTimeMs(steps: readonly Measured[], path = ''): number {
  const spans = steps
    .filter((step) => step.durationMs !== null && isUnderPath(step.path, path) && !isHandedOver(step))
    .map(({ startedAt, durationMs }) => ({ from: startedAt.getTime(), to: startedAt.getTime() + (durationMs ?? 0) }))
    .sort((a, b) => a.from - b.from)
  let sum = 0
  let countedTo = Number.NEGATIVE_INFINITY
  for (const { from, to } of spans) {
    // Side by side they are counted once.
    sum += Math.max(0, to - Math.max(from, countedTo))
    countedTo = Math.max(countedTo, to)
  }
  return sum
}

/** Its time has the sub-agent's waits for operators in it; what the sub-agent worked is in steps of its own. */
function isHandedOver({ kind, name }: Measured): boolean {
  return kind === 'tool' && name === delegateName
}

/** Whether steps at `path` belong to the loop at `of`: its own, or those of its sub-agents. */
export function isUnderPath(path: string, of: string): boolean {
  return of === '' || path === of || path.startsWith(`${of}/`)
}
