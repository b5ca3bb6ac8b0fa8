/** The load, a process of its own: takes one job over IPC, tells when it counts, and what it counted. */
import type { Figures } from '../row.ts'
import { fanOutLoad, firstEventLoad } from './feeds.ts'
import { inboundLoad } from './inbound.ts'
import type { FromLoad, Job, ToLoad } from './job.ts'
import { socketLoad } from './sockets.ts'
import { storedLoad } from './stored.ts'
import { streamLoad } from './streams.ts'
import { turnLoad } from './turns.ts'
import { wholeLoad } from './whole.ts'

process.on('message', async ({ job }: ToLoad) => {
  try {
    tell({ type: 'done', figures: await run(job) })
  } catch (error) {
    tell({ type: 'failed', reason: error instanceof Error ? error.message : String(error) })
  }
})
process.on('disconnect', () => process.exit(0))
tell({ type: 'ready' })

function run(job: Job): Promise<Figures> {
  const listeners = { onBegin: () => tell({ type: 'begin' }), onEnd: () => tell({ type: 'end' }) }
  switch (job.kind) {
    case 'whole':
      return wholeLoad(job, listeners)
    case 'stored':
      return storedLoad(job, listeners)
    case 'inbound':
      return inboundLoad(job, listeners)
    case 'first-event':
      return firstEventLoad(job, listeners)
    case 'fan-out':
      return fanOutLoad(job, listeners)
    case 'sockets':
      return socketLoad(job, listeners)
    case 'agent-turns':
    case 'model-calls':
      return turnLoad(job, listeners)
    case 'burst':
    case 'paced':
      return streamLoad(job, listeners)
  }
}

function tell(message: FromLoad): void {
  process.send?.(message)
}
