/** Ends processes that outlived the program of a sandbox, also those that started another session. */
import { execFile as execFileCallback } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { SandboxFailed } from './errors.ts'
import { isAlive, processesOfUser, processesWithVariable } from './proc.ts'
import { sendSignal } from './signals.ts'

const execFile = promisify(execFileCallback)
const checkMs = 10

/**
 * One system call ends all processes of the user: none can escape by forking between two checks.
 * @param commandPrefix drops a command to that user
 */
export async function killAllOfUser(user: number, commandPrefix: readonly string[], limitMs: number): Promise<void> {
  for (let check = 0; check < limitMs / checkMs; check++) {
    if (processesOfUser(user).length === 0) return
    const [setpriv = 'setpriv', ...words] = commandPrefix
    // Its exit code does not matter: the next check sees what is left.
    await execFile(setpriv, [...words, '/bin/sh', '-c', 'kill -9 -1'], { timeout: 2_000, env: {} }).catch(() => {})
    await wait(checkMs)
  }
  throw leftoversRemain()
}

/**
 * Stops all first, then ends them: stopped processes count against the process limit, so that forking comes to an end.
 * A process that erased its environment is not found.
 */
export async function killAllWithVariable(name: string, value: string, limitMs: number): Promise<void> {
  const stopped = new Set<number>()
  for (let check = 0; check < limitMs / checkMs; check++) {
    const alive = processesWithVariable(name, value).filter(isAlive)
    const running = alive.filter((pid) => !stopped.has(pid))
    for (const pid of running) {
      sendSignal(pid, 'SIGSTOP')
      stopped.add(pid)
    }
    if (running.length > 0) continue
    if (alive.length === 0) return
    for (const pid of alive) sendSignal(pid, 'SIGKILL')
    stopped.clear()
    await wait(checkMs)
  }
  throw leftoversRemain()
}

function leftoversRemain(): SandboxFailed {
  return new SandboxFailed('sandbox_failed', 'processes that the program left behind could not be ended')
}
