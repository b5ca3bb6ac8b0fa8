/** What the system says of a process: whether it lives, when it began, what it is and where it stands. */
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A zombie does not live: it holds nothing and answers nothing, it only waits to be counted. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = await statFields(pid)
  return stat === undefined || (stat[0] !== 'Z' && stat[0] !== 'X')
}

/** When it began, to tell it from a later process of the same number; undefined where the system does not say. */
export async function beganAt(pid: number): Promise<string | undefined> {
  return (await statFields(pid))?.[19]
}

/** The fields of /proc/<pid>/stat behind the command's name, which may hold spaces and brackets itself. */
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // no /proc here, or no such process
  }
}

/** Whether `pid` is a postgres that stands in `cluster`: every one of its processes changes into its data folder. */
export async function isPostgresOf(cluster: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      const [folder, command] = await Promise.all([
        readlink(`/proc/${pid}/cwd`),
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
      ])
      return folder === cluster && command.includes('postgres')
    } catch {
      return false // gone, or not ours to look at: then not ours to end either
    }
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command='])
    return stdout.includes('postgres') && stdout.includes(cluster)
  } catch {
    return false
  }
}

/** Every living postgres process that stands in `cluster`; undefined where the system does not say. */
export async function postgresProcessesOf(cluster: string): Promise<number[] | undefined> {
  if (process.platform !== 'linux') return undefined
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid) && (await isPostgresOf(cluster, pid))) found.push(pid)
  }
  return found
}
