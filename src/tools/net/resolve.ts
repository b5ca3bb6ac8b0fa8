/** The machine's own name resolution, few at a time: each occupies one of the four threads that files and hashes need too. */
import { lookup } from 'node:dns/promises'
import { ToolFailed } from '../tool.ts'

/** All addresses of a name. @throws where the name has none */
export type Resolve = (host: string) => Promise<readonly string[]>

const lookupsMax = 2
const waitingMax = 64

let running = 0
const waiting: (() => void)[] = []

/** A slow answer cannot be cut short; the lookup keeps its place until it is there, whoever has stopped waiting for it. */
export const systemResolve: Resolve = async (host) => {
  if (running >= lookupsMax) {
    if (waiting.length >= waitingMax)
      throw new ToolFailed('busy', 'Too many names are being looked up; try again later.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
