/** Ending a process with all its children: it leads a group of its own, and what it leaves behind is in that group. */
import type { ChildProcess } from 'node:child_process'
import type { Clock } from '../../runtime/time/clock.ts'

export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  // Windows has no groups; the process itself is what can be ended there.
  if (process.platform === 'win32') {
    child.kill(signal)
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: nobody is left. EPERM: somebody is who took another user's rights; we cannot do more to it.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error
  }
}

/**
 * Closes standard input, then SIGTERM, then SIGKILL, each after `graceMs` to leave in peace. When the leader leaves, what
 * is left of its group is killed: it had the same time, and an orphan has nobody to report to.
 */
export async function endGroup(child: ChildProcess, graceMs: number, clock: Clock): Promise<void> {
  child.stdin?.end()
  if (!(await isGoneWithin(child, graceMs, clock))) {
    signalGroup(child, 'SIGTERM')
    await isGoneWithin(child, graceMs, clock)
  }
  signalGroup(child, 'SIGKILL')
  await isGoneWithin(child, graceMs, clock)
}

function isGoneWithin(child: ChildProcess, limitMs: number, clock: Clock): Promise<boolean> {
  const hasLeft = () => child.exitCode !== null || child.signalCode !== null
  if (hasLeft()) return Promise.resolve(true)
  return new Promise((resolve) => {
    const over = () => {
      timer.cancel()
      child.off('exit', over)
      resolve(hasLeft())
    }
    const timer = clock.after(limitMs, over)
    child.once('exit', over)
  })
}
