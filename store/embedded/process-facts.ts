/** What the operating system knows about a process: whether it is alive, when it started, its program and its folder. */
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A zombie counts as dead: it holds no resources and only waits for its parent. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = await statFields(pid)
  return stat === undefined || (stat[0] !== 'Z' && stat[0] !== 'X')
}

/** Tells it from a later process with the same pid; undefined where there is no /proc. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  return (await statFields(pid))?.[19]
}

/** The fields of /proc/<pid>/stat after the command's name, which may contain spaces and brackets. */
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // no /proc here, or no such process
  }
}

/** Whether `pid` is a postgres process of `cluster`: the working directory of each is its data folder. */
export async function isPostgresOf(cluster: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      const [folder, command] = await Promise.all([
        readlink(`/proc/${pid}/cwd`),
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
      ])
      return folder === cluster && command.includes('postgres')
    } catch {
      return false // gone, or of another user: then we may not end it either
    }
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command='])
    return stdout.includes('postgres') && stdout.includes(cluster)
  } catch {
    return false
  }
}

/** Every living postgres process of `cluster`; undefined where there is no /proc. */
export async function postgresProcessesOf(cluster: string): Promise<number[] | undefined> {
  if (process.platform !== 'linux') return undefined
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid) && (await isPostgresOf(cluster, pid))) found.push(pid)
  }
  return found
}
