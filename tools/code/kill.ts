/** Signals to processes; one that is gone already is what was wanted. */
import { writeFileSync } from 'node:fs'

export function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function killGroup(leader: number): void {
  sendTo(-leader, 'SIGKILL')
}

/** When memory runs out on the host, this process and its children go before anything else does. */
export function preferForKilling(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended already, or this system has no such thing; the other bounds hold without it.
  }
}
