/** Opens a channel's transport and keeps it connected. */
import { exponential } from '../../runtime/time/backoff.ts'
import { sleep } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { recoverDeliveries } from '../../store/deliveries/deliveries.ts'
import type { ChannelTransport } from './adapter.ts'
import { adapterDependencies } from './adapter-dependencies.ts'
import type { Channel } from './channels.ts'
import { wordsOf } from './connections.ts'
import type { ChannelContext } from './state.ts'

const reconnect = exponential(seconds(1), seconds(60))

/** What is under way with the previous transport ends with it, and is sent again. */
export async function open(context: ChannelContext): Promise<void> {
  const { state, services, key } = context
  const before = state.transport
  state.connection++
  state.transport = undefined
  state.isConnected = false
  state.timer?.cancel()
  await before?.close()
  const configured = services.channels.byId(key)
  const now = () => new Date(context.clock.now())
  if (!configured || !services.channels.isOpen(key)) {
    if (configured) services.channels.connections.set(key, 'none', now())
    return
  }
  const transport = configured.adapter.open(
    { name: configured.name, config: configured.config, secrets: configured.secrets },
    adapterDependencies(services, configured, context),
  )
  state.transport = transport
  services.channels.connections.set(key, 'connecting', now())
  void keepConnected(context, configured, transport, state.connection)
}

async function keepConnected(
  context: ChannelContext,
  configured: Channel,
  transport: ChannelTransport,
  connection: number,
): Promise<void> {
  const { state, services, key, clock, random, stopped } = context
  const { connections } = services.channels
  const now = () => new Date(clock.now())
  const isCurrent = () => state.connection === connection && !stopped.aborted
  for (let failures = 0; isCurrent(); ) {
    try {
      await transport.connect(stopped)
      if (!isCurrent()) return
      if (!state.hasRecovered) await recover(context, configured)
      if (!isCurrent()) return
      state.isConnected = true
      connections.set(key, 'connected', now())
      failures = 0
      services.log.info({ channel: configured.name }, 'channel connected')
      context.after(0, 'deliver', {})
      if (!transport.lost) return
      await transport.lost
      if (!isCurrent()) return
      connections.set(key, 'waiting', now())
    } catch (error) {
      if (!isCurrent()) return
      connections.set(key, 'waiting', now(), error)
      services.log.warn(
        { reason: wordsOf(error), channel: configured.name, failures },
        'a channel cannot be reached; it is retried',
      )
    }
    state.isConnected = false
    failures++
    await sleep(clock, reconnect.delayMs(failures, random), stopped).catch(() => undefined)
  }
}

async function recover(context: ChannelContext, configured: Channel): Promise<void> {
  const { db, leases, log } = context.services
  const lease = leases.of(configured.id)
  if (lease === undefined) return
  const held = { key: configured.id, node: leases.node, lease }
  const deliveries = await recoverDeliveries(db, held, configured.policy.attempts_max)
  context.state.hasRecovered = true
  if (deliveries > 0)
    log.warn({ channel: configured.name, deliveries }, 'deliveries of an earlier start are sent again')
}
