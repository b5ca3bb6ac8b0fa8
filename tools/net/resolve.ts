/** The machine's own name resolution, few at a time: each occupies one of the four threads that files and hashes need too. */
import { lookup } from 'node:dns/promises'
import { ToolFailed } from '../tool.ts'

/** All addresses of a name. @throws where the name has none; the signal's reason, if that aborts while it waits */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly string[]>

const lookupsMax = 2
const waitingMax = 64

let running = 0
const waiting = new Set<() => void>()

/**
 * A slow answer cannot be cut short; the lookup keeps its place until it is there, whoever has stopped waiting for it. One
 * that has not begun leaves the line with its caller: names that nobody answers for would fill it for minutes otherwise.
 */
export const systemResolve: Resolve = async (host, signal) => {
  if (running < lookupsMax) running++
  else if (waiting.size < waitingMax) await turn(signal)
  else throw new ToolFailed('busy', 'Too many names are being looked up; try again later.')
  try {
    return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
  } finally {
    const [next] = waiting
    if (next) next()
    else running--
  }
}

/** Resolves with the place of one that has ended. */
function turn(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(enter)
      reject(signal?.reason)
    }
    const enter = () => {
      waiting.delete(enter)
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    if (signal?.aborted) return leave()
    waiting.add(enter)
    signal?.addEventListener('abort', leave, { once: true })
  })
}
