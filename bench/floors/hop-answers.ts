/** The other side of the floor of a hop: gives back the bytes that it gets. */
import { connect } from '@nats-io/transport-node'
import { hopSubject } from './hop-subject.ts'

const nats = await connect({ servers: process.env['BENCH_NATS_URL'] ?? '' })
nats.subscribe(hopSubject, { callback: (_error, message) => void message.respond(message.data) })
await nats.flush()
process.send?.({ type: 'ready' })
process.on('disconnect', () => process.exit(0))
