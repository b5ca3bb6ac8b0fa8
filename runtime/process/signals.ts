/** Signals to processes. A process that has ended already is not an error. */
import { writeFileSync } from 'node:fs'

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function killGroup(leader: number): void {
  sendSignal(-leader, 'SIGKILL')
}

/** When the host runs out of memory, the kernel ends this process and its children before all others. */
export function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended, or this system has no such file; the other limits still apply.
  }
}
