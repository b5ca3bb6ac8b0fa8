/** postmaster.pid: in it PostgreSQL writes which process serves a cluster. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface PostmasterFile {
  text: string
  pid: number
  socketFolder: string
  /** It takes connections; pg_ctl waits for the same line. */
  isReady: boolean
}

export const postmasterFilePath = (cluster: string): string => join(cluster, 'postmaster.pid')

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(postmasterFilePath(cluster), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = Math.abs(Number(lines[0])) // negative: a single-user server
  if (!Number.isInteger(pid) || pid === 0) return undefined
  return { text, pid, socketFolder: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
}
