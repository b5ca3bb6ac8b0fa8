/** Ends a process with its children: it is the leader of a process group, and what it leaves behind is in that group. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { atMost } from '../../runtime/time/at-most.ts'
import type { Clock } from '../../runtime/time/clock.ts'

export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  // Windows has no groups; only the process itself can be ended there.
  if (process.platform === 'win32') {
    child.kill(signal)
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: none is left. EPERM: one runs as another user now; we can do no more.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error
  }
}

/**
 * Closes standard input, then sends SIGTERM, then SIGKILL, each after `graceMs`. When the leader has exited, the rest of
 * its group is killed: it had the same time, and nobody reads an orphan's output.
 */
export async function endGroup(child: ChildProcess, graceMs: number, clock: Clock): Promise<void> {
  child.stdin?.end()
  if (!(await hasExitedWithin(child, graceMs, clock))) {
    signalGroup(child, 'SIGTERM')
    await hasExitedWithin(child, graceMs, clock)
  }
  signalGroup(child, 'SIGKILL')
  await hasExitedWithin(child, graceMs, clock)
}

async function hasExitedWithin(child: ChildProcess, limitMs: number, clock: Clock): Promise<boolean> {
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  if (!hasExited()) await atMost(limitMs, once(child, 'exit'), { clock })
  return hasExited()
}
