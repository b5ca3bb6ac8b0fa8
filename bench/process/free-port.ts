/** A loopback port that was free a moment ago, for programs that need a fixed one. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that the system gives to connections that go out, one of which may take a port between here and its program. */
const [firstPort, portsEnd] = [10_240, 32_768]
const triesMax = 100
const handedOut = new Set<number>()

/** No port is given twice in a process. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(firstPort, portsEnd)
    if (handedOut.has(port) || !(await isFree(port))) continue
    handedOut.add(port)
    return port
  }
  throw new Error(`no port was free in ${triesMax} tries`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
