/** What Linux knows of a process: memory, processor time, open sockets, children. */
import { readdir, readFile, readlink } from 'node:fs/promises'

/** USER_HZ, which is 100 on every Linux that Node.js runs on. */
const ticksPerSecond = 100

/** Resident memory, shared pages included, in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kib === undefined) throw new Error(`process ${pid} has no resident memory`)
  return Number(kib) / 1_024
}

/** Memory of several processes without counting shared pages twice, in MiB. */
export async function proportionalMiB(pids: readonly number[]): Promise<number> {
  let kib = 0
  for (const pid of pids) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kib += Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0)
  }
  return kib / 1_024
}

/** Processor seconds that a process has used, all its threads together. */
export async function cpuSeconds(pid: number): Promise<number> {
  return ticksOf(await readFile(`/proc/${pid}/stat`, 'utf8')) / ticksPerSecond
}

/** User and system time: the 14th and 15th field, counted behind the name, which may hold blanks and brackets. */
export function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** Children, their children, and so on. */
export async function descendants(pid: number): Promise<number[]> {
  const found: number[] = []
  const parents = new Map<number, number[]>()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => undefined) // it may have just ended
    if (stat === undefined) continue
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    parents.set(parent, [...(parents.get(parent) ?? []), Number(entry)])
  }
  for (let waiting = [pid]; waiting.length > 0; ) {
    waiting = waiting.flatMap((parent) => parents.get(parent) ?? [])
    found.push(...waiting)
  }
  return found
}

export async function openSockets(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`
  const links = await Promise.all(
    (await readdir(folder)).map((descriptor) => readlink(`${folder}/${descriptor}`).catch(() => '')),
  )
  return links.filter((link) => link.startsWith('socket:')).length
}
