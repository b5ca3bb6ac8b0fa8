/** A server that is closed is free: the library keeps what it was given for as long as the process lives. */
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { RequestHandler } from '../../http/server/exchange.ts'
import { createHttpServer } from '../../http/server/http-server.ts'
import { systemClock } from '../../runtime/time/clock.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('nothing of a closed server is kept', async () => {
  const handler = await handlerOfClosed()
  await turn()
  collect()
  expect(handler.deref()).toBeUndefined()
})

/** In a function of its own: what stands in the test's is in use until it ends. */
async function handlerOfClosed(): Promise<WeakRef<RequestHandler<undefined>>> {
  const handler: RequestHandler<undefined> = {
    request: (exchange) => exchange.close(),
    broke: (exchange) => exchange.close(),
    expired: (exchange) => exchange.close(),
    clientIp: () => '127.0.0.1',
    finished() {},
    socketBroke() {},
  }
  const bounds = { connectionsMax: 10, bodiesBytesMax: 1_000, streamBytesMax: 1_000 }
  const server = createHttpServer({ clock: systemClock, handler, ...bounds })
  const port = server.listen({ host: '127.0.0.1', port: 0 })
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  await server.close(100)
  return new WeakRef(handler)
}
