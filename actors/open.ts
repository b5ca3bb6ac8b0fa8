/** Puts the actors and what they share together, on an open database. */
import { randomBytes } from 'node:crypto'
import type { MasterKey } from '../config/seal.ts'
import type { Settings } from '../config/settings.ts'
import { createGuard } from '../guard/guard.ts'
import { streamGuard } from '../guard/stream-guard.ts'
import type { ModelTransport } from '../models/transport.ts'
import type { TokenCounter } from '../models/usage.ts'
import type { Codec } from '../runtime/actor/codec.ts'
import { createSystem, type System } from '../runtime/actor/system.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Resolve } from '../runtime/network/judge.ts'
import { openOutgoing } from '../runtime/network/outgoing.ts'
import type { Bus } from '../runtime/nodes/bus.ts'
import type { Leases, NodesAround } from '../runtime/nodes/leases.ts'
import type { Links } from '../runtime/nodes/links.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { conversationWriter } from '../store/conversations/conversations.ts'
import type { Database } from '../store/database.ts'
import { attemptWriter } from '../store/deliveries/deliveries.ts'
import { intakeWriter } from '../store/intake.ts'
import { claimPin, findPin, releasePin } from '../store/nodes/pins.ts'
import { claimWriter } from '../store/turns/queue.ts'
import { stepsOf, stepWriter } from '../store/turns/steps.ts'
import { turnWriter } from '../store/turns/turns.ts'
import type { Toolbox } from '../tools/registry.ts'
import { messageTokens } from './agent/context/message-tokens.ts'
import { agentDirectory } from './agent/directory/directory.ts'
import { loopYielder } from './agent/journal/yield-to-loop.ts'
import { clientToolCallCache } from './agent/tools/client-tool-calls.ts'
import { approvalDesk, sweepMs as approvalSweepMs } from './approvals/desk.ts'
import { channel } from './channel/actor.ts'
import { channelDirectory } from './channel/channels.ts'
import { intakeCounters } from './channel/intake-counts.ts'
import { webhookDirectory } from './channel/webhooks.ts'
import { conversation } from './conversation/actor.ts'
import { histories } from './conversation/histories.ts'
import { liveTurns } from './feed/live-turns.ts'
import { liveTurnsOfNodes } from './feed/live-turns-of-nodes.ts'
import { feedTail } from './feed/tail.ts'
import { startMaintenance } from './maintenance/actor.ts'
import type { MaintenanceTask } from './maintenance/task.ts'
import { lanesOfNodes } from './queue/lanes-of-nodes.ts'
import { runQueued } from './queue/run-queued.ts'
import { turnQueue } from './queue/turn-queue.ts'
import type { ReplaceableServices, Services } from './services.ts'
import { subscription } from './subscription/actor.ts'
import { noticeSender } from './subscription/notices.ts'
import { runningTurns } from './turn/running.ts'
import { TurnFailed } from './turn/turn-failed.ts'
import { budgetKeeper } from './usage/budget-keeper.ts'
import { priceBook } from './usage/price-book.ts'
import { tokenRates } from './usage/token-rates.ts'

export interface ActorsOptions {
  db: Database
  settings: Settings
  log: Log
  clock: Clock
  tracer?: Tracer
  /** As an actor system's. */
  codec?: Codec | undefined
  leases: Leases
  /** Where the other nodes are. Absent: there are none. */
  nodes?: { around: NodesAround; links: Links; bus: Bus } | undefined
  masterKey: () => MasterKey
  model: () => ModelTransport
  /** Counts tokens of what a model is told. */
  tokens: TokenCounter
  tools: Toolbox
  /** Of the whole service, since its bound is. */
  resolve: Resolve
  /** In place of our own. For tests. */
  replaced?: Partial<ReplaceableServices> | undefined
}

export interface Actors {
  services: Services
  system: System
  /** Starts nothing more of what waits; what runs may finish. */
  drain(): void
  /** Resolves when every actor is gone, within `graceMs` and a little. */
  stop(graceMs: number): Promise<void>
  /** Writes what is still to be written. After `stop`. */
  close(): Promise<void>
}

export function openActors(options: ActorsOptions): Actors {
  const { db, settings, log, clock, tracer, leases, nodes, masterKey, model, tokens, tools, resolve } = options
  const channels = channelDirectory({
    db,
    log,
    masterKey,
    onWake(id) {
      system.actor(channel, id).tell('deliver', {})
      // Another node's does not say that it has been woken.
      if (leases.of(id) === undefined) channels.woken(id)
    },
  })
  const queue = turnQueue({
    clock,
    turnsMax: () => settings.get('SERVICE_QUEUE_TURNS_MAX'),
    limits: (lane) => lanes?.limits(lane, channels.limits(lane)) ?? channels.limits(lane),
    run: (id, lane) => runQueued({ system, channels, log }, id, lane),
    onEntered: () => feed.wake(),
    passOn(id, news) {
      if (leases.of(id) !== undefined) return false
      system.actor(conversation, id).tell('queue', news)
      return true
    },
  })
  const { node } = leases
  const lanes = nodes && lanesOfNodes({ ...nodes, clock, log, queue: () => queue })
  const turns = turnWriter(db, node, clock)
  const conversations = conversationWriter(db, node)
  const intake = intakeWriter(db, node)
  const claims = claimWriter(db, node)
  const attempts = attemptWriter(db, node)
  const steps = stepWriter(db, node)
  const feed = feedTail({ db, clock, log })
  settings.onChange(() => queue.limitsChanged())
  const outgoing = openOutgoing({ settings, log, resolve })
  const notices = noticeSender({ db, settings, masterKey, outgoing, channels, clock })
  const services: Services = {
    settings,
    outgoing,
    notices,
    webhooks: webhookDirectory({ publicUrl: settings.get('CHATAPP_PUBLIC_URL'), masterKey }),
    log,
    db,
    leases,
    model,
    turns,
    conversations,
    intake,
    claims,
    attempts,
    steps,
    stepsOf,
    tools,
    prices: priceBook(),
    budgets: budgetKeeper({ db, now: () => clock.now() }),
    tokenRates: tokenRates({ clock, nodes }),
    approvals: approvalDesk({
      db,
      clock,
      log,
      onWaiting: (conversation, lane, turns) => queue.found({ conversation, lane, turns }),
      onEvents: () => feed.wake(),
      bus: nodes?.bus,
    }),
    clientToolCalls: clientToolCallCache(),
    yieldToLoop: loopYielder(),
    tokens: messageTokens(tokens),
    guard: settings.get('SERVICE_MODERATION') ? createGuard() : undefined,
    streamGuard,
    canary: randomBytes(8).toString('hex'),
    channels,
    queue,
    feed,
    liveTurns: nodes ? liveTurnsOfNodes({ bus: nodes.bus, nodes: nodes.around, clock }) : liveTurns(),
    agents: agentDirectory({ db, log }),
    running: runningTurns(),
    histories: histories(),
    intakeCounts: intakeCounters(),
    maintenance: new Map(),
    ...options.replaced,
  }
  const system = createSystem({
    services,
    log,
    clock,
    codec: options.codec,
    failures: [TurnFailed],
    nodes,
    definitions: [conversation, channel, subscription],
    pins: {
      node,
      claim: (kind, key) => claimPin(db, { kind, key, node }),
      find: (kind, key) => findPin(db, { kind, key }),
      release: (kind, key) => releasePin(db, { kind, key, node }),
    },
    ...(tracer && { tracer }),
  })
  const { approvals } = services
  const approvalTasks: MaintenanceTask[] = [
    { name: 'approvals', isForAll: true, intervalMs: approvalSweepMs, run: (_signal, held) => approvals.sweep(held) },
    { name: 'decisions', intervalMs: approvalSweepMs, run: () => approvals.findDecisions() },
  ]
  const approvalLoops = approvalTasks.map((task) => startMaintenance({ services, system, clock }, task))
  const endApprovals = async () => {
    approvals.close()
    await Promise.all(approvalLoops.map((loop) => loop.stop()))
  }
  return {
    services,
    system,
    drain() {
      queue.close()
      void endApprovals()
    },
    async stop(graceMs) {
      queue.close()
      await lanes?.stop()
      await endApprovals()
      await system.stop(graceMs)
      await feed.close()
    },
    async close() {
      await Promise.all([
        turns.close(),
        conversations.close(),
        intake.close(),
        claims.close(),
        attempts.close(),
        steps.close(),
        notices.close(),
        services.budgets.close(),
      ])
    },
  }
}
