/** Ends processes that a program left behind, also those that made a session of their own. */
import { execFile as execFileCallback } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ToolFailed } from '../tool.ts'
import { sendTo } from './kill.ts'
import { limits } from './limits.ts'
import { isAlive, ofUser, withVariable } from './processes.ts'

const execFile = promisify(execFileCallback)
const stepMs = 10
const steps = limits.endMs / stepMs

/** One call of the kernel for all processes of the user: nothing can fork its way out between two looks. */
export async function endAllOfUser(user: number, dropTo: readonly string[]): Promise<void> {
  for (let step = 0; step < steps; step++) {
    if (ofUser(user).length === 0) return
    const [setpriv = 'setpriv', ...words] = dropTo
    // Its own end says nothing: only what is left counts, and the next look sees that.
    await execFile(setpriv, [...words, '/bin/sh', '-c', 'kill -9 -1'], { timeout: 2_000, env: {} }).catch(() => {})
    await wait(stepMs)
  }
  throw leftBehind()
}

/**
 * Stops all first, then ends them: a stopped process holds its place in the limit, so that forking comes to rest.
 * A process that wiped its environment is not found.
 */
export async function endAllWithVariable(name: string, value: string): Promise<void> {
  const stopped = new Set<number>()
  for (let step = 0; step < steps; step++) {
    const found = withVariable(name, value).filter(isAlive)
    const isNew = found.filter((pid) => !stopped.has(pid))
    for (const pid of isNew) {
      sendTo(pid, 'SIGSTOP')
      stopped.add(pid)
    }
    if (isNew.length > 0) continue
    if (found.length === 0) return
    for (const pid of found) sendTo(pid, 'SIGKILL')
    stopped.clear()
    await wait(stepMs)
  }
  throw leftBehind()
}

function leftBehind(): ToolFailed {
  return new ToolFailed('sandbox_failed', 'processes that the code left behind could not be ended')
}
