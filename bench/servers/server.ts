/** A program that answers chat requests while it is measured. */
import type { Endpoint } from '../load/job.ts'
import type { Forked } from '../process/forked.ts'

export interface Server {
  readonly process: Forked
  readonly endpoint: Endpoint
  /** The processes of its database, where it has one. */
  databasePids?(): Promise<number[]>
  stop(): Promise<void>
}

/** Answers over IPC how late the event loop was since it was last asked. */
export const probeOptions = ['--import', new URL('../process/loop-delay-probe.ts', import.meta.url).href]

export async function loopDelay(server: Server): Promise<{ p99Ms: number; maxMs: number }> {
  const answered = server.process.next<{ type: 'loop-delay'; p99Ms: number; maxMs: number }>('loop-delay')
  server.process.send({ type: 'loop-delay' })
  return answered
}
