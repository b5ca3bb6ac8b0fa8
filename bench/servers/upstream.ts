/** Starts the scripted model endpoint that stands behind every contestant. */
import { forkProgram } from '../process/forked.ts'
import type { Server } from './server.ts'

export async function startUpstream(): Promise<Server> {
  const process = forkProgram(new URL('../upstream/main.ts', import.meta.url))
  const { port } = await process.next<{ type: 'ready'; port: number }>('ready')
  return { process, endpoint: { host: '127.0.0.1', port, headers: {} }, stop: () => process.stop() }
}
