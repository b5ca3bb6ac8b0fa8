/** Starts the pass-through gateway. */
import { forkProgram } from '../process/forked.ts'
import { probeOptions, type Server } from './server.ts'

export async function startFloor(upstream: Server): Promise<Server> {
  const process = forkProgram(new URL('../floors/pass-through.ts', import.meta.url), {
    arguments: [`http://127.0.0.1:${upstream.endpoint.port}`],
    nodeOptions: probeOptions,
  })
  const { port } = await process.next<{ type: 'ready'; port: number }>('ready')
  return {
    process,
    endpoint: { host: '127.0.0.1', port, headers: { authorization: 'Bearer nobody-looks' } },
    stop: () => process.stop(),
  }
}
