/** pg-boss: one durable job for each message, on the same kind of database. */
import { createRequire } from 'node:module'
import { enqueueLoad, messageText } from '../load/enqueue.ts'
import { urlOf, withDatabase } from '../ours/database.ts'
import { measurement } from '../process/measurement.ts'

interface PgBoss {
  on(event: 'error', listen: () => void): void
  start(): Promise<unknown>
  createQueue(name: string): Promise<void>
  send(queue: string, data: object): Promise<unknown>
  stop(options: { graceful: boolean }): Promise<void>
}

/** From the benchmark's own folder, so that nothing of ours depends on it. */
const { PgBoss } = createRequire(import.meta.url)('pg-boss') as { PgBoss: new (options: object) => PgBoss }

const callers = Number(process.env['BENCH_CALLERS'] ?? 256)

await measurement(({ warmUpMs, measureMs }) =>
  withDatabase(async (address) => {
    const boss = new PgBoss({ connectionString: urlOf(address), max: 32, supervise: false, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue('bench')
    const figures = await enqueueLoad({ callers, warmUpMs, measureMs }, (at) =>
      boss.send('bench', { at, text: messageText }),
    )
    await boss.stop({ graceful: false })
    return figures
  }),
)
