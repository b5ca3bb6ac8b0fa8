/** What a run may have left on this machine. */
import { readdirSync, readFileSync } from 'node:fs'

/** Live processes whose command line holds the words, but for those of test files that run beside this one. */
export function processesWith(words: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandOf(pid).includes(words) && !isOfAnotherFile(pid))
    .map(commandOf)
}

/** What has lost its parents may be ours. */
function isOfAnotherFile(pid: string): boolean {
  for (let at = parentOf(pid); at !== '' && at !== '0' && at !== '1'; at = parentOf(at)) {
    if (Number(at) === process.pid) return false
    if (commandOf(at).includes('vitest')) return true
  }
  return false
}

const commandOf = (pid: string): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

/** Its name, in brackets, may hold anything. */
const parentOf = (pid: string): string => read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? ''

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
