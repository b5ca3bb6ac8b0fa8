/** The floor of a hop between nodes: request and reply of the bare NATS client, the bytes as they are. */
import { connect } from '@nats-io/transport-node'
import { answering, hopLoad } from '../load/hops.ts'
import { measurement } from '../process/measurement.ts'
import { hopSubject } from './hop-subject.ts'

await measurement(async (scale) => {
  const other = await answering(new URL('hop-answers.ts', import.meta.url))
  const nats = await connect({ servers: process.env['BENCH_NATS_URL'] ?? '' })
  const figures = await hopLoad(
    async (text) => Buffer.from((await nats.request(hopSubject, text, { timeout: 10_000 })).data).toString(),
    other,
    scale,
  )
  await other.stop()
  return figures
})
