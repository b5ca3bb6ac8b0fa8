/** Starts the npm package `@portkey-ai/gateway`, with headers that make it pass everything on to the scripted endpoint. */
import { forkProgram } from '../process/forked.ts'
import { freePort } from '../process/free-port.ts'
import { until } from '../process/until.ts'
import { probeOptions, type Server } from './server.ts'

export async function startPeer(upstream: Server): Promise<Server> {
  const port = await freePort()
  const process = forkProgram(new URL('../peers/portkey.ts', import.meta.url), {
    arguments: [`--port=${port}`, '--headless'],
    nodeOptions: probeOptions,
  })
  await until('the peer answers', 15_000, () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  )
  return {
    process,
    endpoint: {
      host: '127.0.0.1',
      port,
      headers: {
        authorization: 'Bearer nobody-looks',
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${upstream.endpoint.port}/v1`,
      },
    },
    stop: () => process.stop(),
  }
}
