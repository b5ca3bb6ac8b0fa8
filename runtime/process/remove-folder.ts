/** Removes a folder that untrusted code has filled: links are not followed, depth does not matter, closed folders are opened. */
import { execFile as execFileCallback } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Log } from '../log/log.ts'

const execFile = promisify(execFileCallback)
const timeoutMs = 10_000

/** By rm, which goes from folder to folder by descriptor: paths could grow longer than Node accepts. */
export async function removeFolder(folder: string, log?: Log): Promise<void> {
  const options = { timeout: timeoutMs, env: { PATH: '/usr/bin:/bin' } }
  try {
    await execFile('rm', ['-rf', '--one-file-system', '--', folder], options)
  } catch {
    // Folders that are closed to their own user; chmod does not follow links on its way.
    await execFile('chmod', ['-R', 'u+rwX', '--', folder], options).catch(() => {})
    await execFile('rm', ['-rf', '--one-file-system', '--', folder], options).catch((error: unknown) => {
      if (existsSync(folder))
        log?.warn({ err: error, folder }, 'the folder of a sandboxed process could not be removed')
    })
  }
}
