/** graphile-worker: one durable job for each message, on the same kind of database. */
import { makeWorkerUtils } from 'graphile-worker'
import { enqueueLoad, messageText } from '../load/enqueue.ts'
import { urlOf, withDatabase } from '../ours/database.ts'
import { measurement } from '../process/measurement.ts'

// It keeps connections open past its release; their loss with the database is nothing to it.
process.on('uncaughtException', () => {})

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
