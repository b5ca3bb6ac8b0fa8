/** graphile-worker: one durable job for each message, on the same kind of database. */
import { createRequire } from 'node:module'
import { enqueueLoad, messageText } from '../load/enqueue.ts'
import { urlOf, withDatabase } from '../ours/database.ts'
import { measurement } from '../process/measurement.ts'

// It keeps connections open past its release; their loss with the database is nothing to it.
process.on('uncaughtException', () => {})

interface WorkerUtils {
  migrate(): Promise<void>
  addJob(name: string, payload: object): Promise<unknown>
  release(): Promise<void>
}

/** From the benchmark's own folder, so that nothing of ours depends on it. */
const { makeWorkerUtils } = createRequire(import.meta.url)('graphile-worker') as {
  makeWorkerUtils(options: { connectionString: string; maxPoolSize: number }): Promise<WorkerUtils>
}

const callers = Number(process.env['BENCH_CALLERS'] ?? 256)

await measurement(({ warmUpMs, measureMs }) =>
  withDatabase(async (address) => {
    const worker = await makeWorkerUtils({ connectionString: urlOf(address), maxPoolSize: 32 })
    await worker.migrate()
    const figures = await enqueueLoad({ callers, warmUpMs, measureMs }, (at) =>
      worker.addJob('bench', { at, text: messageText }),
    )
    await worker.release()
    return figures
  }),
)
