/** Signals to processes. A process that is gone already is no error. */
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

/** When the host runs out of memory, the kernel ends this process and its children before any other. */
export function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended already, or this system has no such file; the other limits hold without it.
  }
}
