/** Where files of tests lie: in memory where there is room. Creating and syncing them takes four times as long on a disk. */
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const bytesMin = 2 * 1024 ** 3

export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > bytesMin ? memory : tmpdir()
  } catch {
    return tmpdir() // another system has no such folder
  }
}
