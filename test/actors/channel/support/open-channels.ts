/**
 * Channels with all that is behind them, on a real database and virtual time: what is said is taken, answered at once by a
 * model of the test, and leaves through the outbox.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { channel } from '../../../../actors/channel/actor.ts'
import type { ChannelPolicy } from '../../../../actors/channel/policy.ts'
import { take } from '../../../../actors/channel/take.ts'
import { openActors } from '../../../../actors/open.ts'
import type { Services } from '../../../../actors/services.ts'
import { openSettings } from '../../../../config/settings.ts'
import type { ModelTransport } from '../../../../models/transport.ts'
import { msgpack } from '../../../../runtime/actor/codec.ts'
import type { System } from '../../../../runtime/actor/system.ts'
import { createResolver } from '../../../../runtime/network/resolver.ts'
import { createChannel, updateChannel } from '../../../../store/channels.ts'
import type { Database } from '../../../../store/database.ts'
import { type ConversationId, type DeliveryId, firstWorkspaceId, idFrom } from '../../../../store/id.ts'
import { agentParts } from '../../../support/agent-parts.ts'
import { freshDatabase } from '../../../support/database.ts'
import { loopbackNetworks } from '../../../support/outgoing.ts'
import { type RecordedLine, recordingLog } from '../../../support/recording-log.ts'
import { ownSlots } from '../../../support/slots.ts'
import { type VirtualClock, virtualClock } from '../../../support/virtual-clock.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

export interface Delivery {
  id: DeliveryId
  status: string
  attempts: number
  reason: string | null
}

export interface OpenChannels {
  clock: VirtualClock
  db: Database
  services: Services
  system: System
  lines: RecordedLine[]
  /** Those whose held requests are not waited for. */
  receivers: WebhookReceiver[]
  make(
    name: string,
    to: { url: string; policy?: Partial<ChannelPolicy>; secrets?: object; adapter?: string },
  ): Promise<void>
  change(name: string, to: { url: string; policy?: Partial<ChannelPolicy> }): Promise<void>
  /** A message of the sender; the answer to it is "re: " and its text. */
  say(name: string, sender: string, text: string): Promise<ConversationId>
  /** Lets `ms` go by in steps, and each step come to rest. */
  pass(ms: number, stepMs?: number): Promise<void>
  /** Resolves when nothing moves any more without time. */
  quiet(): Promise<void>
  /** In the order in which they were made. */
  deliveries(): Promise<Delivery[]>
  tries(): Promise<{ outcome: string; status_code: number | null; error: string | null }[]>
  events(kind: string): Promise<number>
}

export interface OpenOptions {
  /** Of an earlier start: its channels and what it left. */
  db?: Database
  model?: ModelTransport
}

/** Ahead of the database's clock, so that what the database stamps is always past. */
const aheadMs = 3_600_000

export async function openChannels(options: OpenOptions = {}): Promise<OpenChannels> {
  const db = options.db ?? (await ofItsOwn())
  const watched = watchedDatabase(db)
  const clock = virtualClock(Date.now() + aheadMs)
  const { log, lines } = recordingLog()
  const leases = await ownSlots(db)
  const masterKey = { bytes: Buffer.alloc(32, 7) }
  const settings = openSettings({
    environment: { SERVICE_INBOUND_REQUIRE_BINDING: 'false', SERVICE_OUTGOING_ALLOWLIST: loopbackNetworks },
    stored: new Map(),
  })
  const parts = await agentParts({ settings, log, clock })
  const { services, system, ...actors } = openActors({
    ...{
      db: watched.db,
      log,
      leases,
      clock,
      settings,
      tools: parts.tools,
      tokens: parts.tokens,
      resolve: createResolver(),
    },
    codec: msgpack,
    masterKey: () => masterKey,
    model: () => options.model ?? echo,
  })
  onTestFinished(async () => {
    const ended = actors.stop(0)
    for (let at = 0; at < 20; at++) await clock.advance(100)
    await ended
    await actors.close()
    await parts.close()
  })
  const { channels, queue } = services
  channels.onChange((ids) => {
    for (const id of ids) system.actor(channel, id).tell('open', {})
    queue.limitsChanged()
  })
  await channels.refresh()
  const receivers: WebhookReceiver[] = []

  function named(name: string) {
    const found = channels.byName(name)
    if (!found) throw new Error(`there is no channel ${name}`)
    return found
  }

  async function quiet(): Promise<void> {
    for (let calm = 0; calm < 4; ) {
      await nextTurn()
      const openRequests = receivers.reduce((sum, receiver) => sum + receiver.held, 0)
      const isCalm = watched.pending() === 0 && queue.running === 0 && (await sending()) <= openRequests
      calm = isCalm ? calm + 1 : 0
    }
  }

  async function sending(): Promise<number> {
    const [row] = await db.system<{ n: number }>`
      select count(*)::integer as n from deliveries where status = 'sending'`
    return row?.n ?? 0
  }

  return {
    ...{ clock, db, services, system, lines, receivers, quiet },
    async make(name, { url, policy = {}, secrets = {}, adapter = 'generic' }) {
      await createChannel(db, firstWorkspaceId, {
        ...{ name, adapter, isEnabled: true, isPaused: false },
        config: { url, policy },
        secrets: channels.seal(name, secrets),
      })
      await channels.refresh()
      await quiet()
    },
    async change(name, { url, policy = {} }) {
      await updateChannel(db, firstWorkspaceId, named(name).id, {
        ...{ config: { url, policy }, secrets: null, isEnabled: true, isPaused: false },
      })
      await channels.refresh()
    },
    async say(name, sender, text) {
      const accepted = await take(services, named(name), {
        ...{ externalId: sender, content: text, senderName: null, replyTo: null, dedupe: null, requestId: 'r' },
      })
      if (!('conversationId' in accepted)) throw new Error(`it was ${accepted.disposition}`)
      return accepted.conversationId
    },
    async pass(ms, stepMs = 1_000) {
      await quiet()
      for (let remainingMs = ms; remainingMs > 0; remainingMs -= stepMs) {
        await clock.advance(Math.min(remainingMs, stepMs))
        await quiet()
      }
    },
    async deliveries() {
      const rows = await db.system<Omit<Delivery, 'id'> & { id: string }>`
        select id, status, attempts, reason from deliveries order by id`
      return rows.map((row) => ({ ...row, id: idFrom('dlv', row.id) }))
    },
    tries: () => db.system`select outcome, status_code, error from delivery_attempts order by at, attempt`,
    async events(kind) {
      const [row] = await db.system<{ n: number }>`select count(*)::integer as n from events where kind = ${kind}`
      return row?.n ?? 0
    },
  }
}

/** A database of the test's own, dropped at its end. */
export async function ofItsOwn(): Promise<Database> {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  return fresh.db
}

/** Counts what is under way in it. */
function watchedDatabase(db: Database): { db: Database; pending(): number } {
  let pending = 0
  function counted<Call extends (...call: never[]) => Promise<unknown>>(call: Call): Call {
    return (async (...given: never[]) => {
      pending++
      try {
        return await call(...given)
      } finally {
        pending--
      }
    }) as unknown as Call
  }
  return {
    pending: () => pending,
    db: {
      ...db,
      hot: counted(db.hot),
      system: counted(db.system),
      forWorkspace: (workspace) => counted(db.forWorkspace(workspace)),
      transaction: counted(db.transaction) as Database['transaction'],
    },
  }
}

const echo: ModelTransport = {
  name: 'echo',
  async complete() {
    throw new Error('nobody asks for a whole answer here')
  },
  stream(request, sink) {
    sink.delta({ kind: 'model', model: 'echo', extra: {} })
    sink.delta({ kind: 'text', choice: 0, text: `re: ${String(request.messages.at(-1)?.content)}` })
    sink.delta({ kind: 'finish', choice: 0, finishReason: 'stop' })
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    return { done: Promise.resolve({ model: 'echo', usage, isUsageEstimated: false, extra: {} }), resume() {} }
  },
  async close() {},
}
