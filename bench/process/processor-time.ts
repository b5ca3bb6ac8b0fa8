/** Processor time of processes with all their threads, and the scheduling class that puts them before all others. */
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

/** Nanoseconds on a processor since the start of each. What an ended thread used is not counted any more. */
export async function processorNs(pids: readonly number[]): Promise<number> {
  const sums = await Promise.all(pids.map(ofProcess))
  return sums.reduce((sum, ns) => sum + ns, 0)
}

async function ofProcess(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []) // it may have just ended
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  )
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0)
}

/**
 * Moves all threads of the processes to a real-time class, or back to the ordinary one; what they start inherits it.
 * @throws Error where the machine does not allow it: it takes root and the command `chrt`
 */
export function schedule(pids: readonly number[], policy: 'above-the-rest' | 'ordinary'): void {
  const flags = policy === 'ordinary' ? ['--other', '--pid', '0'] : ['--rr', '--pid', '1']
  for (const pid of pids) execFileSync('chrt', ['--all-tasks', ...flags, String(pid)], { stdio: 'pipe' })
}
