/** Removes a folder that untrusted code has filled: no link is followed, any depth works, closed folders are opened. */
import { execFile as execFileCallback } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Log } from '../log/log.ts'

const execFile = promisify(execFileCallback)
const timeoutMs = 10_000

/** With rm, which walks by descriptors: paths could be longer than Node accepts. */
export async function removeFolder(folder: string, log?: Log): Promise<void> {
  const options = { timeout: timeoutMs, env: { PATH: '/usr/bin:/bin' } }
  try {
    await execFile('rm', ['-rf', '--one-file-system', '--', folder], options)
  } catch {
    // Some folders are closed to their own user. chmod -R does not follow links.
    await execFile('chmod', ['-R', 'u+rwX', '--', folder], options).catch(() => {})
    await execFile('rm', ['-rf', '--one-file-system', '--', folder], options).catch((error: unknown) => {
      if (existsSync(folder))
        log?.warn({ err: error, folder }, 'the folder of a sandboxed process could not be removed')
    })
  }
}
