/** The composition root: each part starts with the parts before it, and stops before they do. */
import { agentRefresh, startAgents } from '../actors/agent/directory/start.ts'
import { endpointCounting } from '../actors/alerts/endpoint-counting.ts'
import { alertEvaluation } from '../actors/alerts/evaluation.ts'
import { alertGauges } from '../actors/alerts/gauges.ts'
import { startChannels } from '../actors/channel/start.ts'
import { retention } from '../actors/feed/retention.ts'
import { startMaintenance } from '../actors/maintenance/actor.ts'
import { databaseTime, followDatabaseTime } from '../actors/maintenance/database-time.ts'
import { mediaSweep } from '../actors/maintenance/media.ts'
import { openActors } from '../actors/open.ts'
import { startFinding } from '../actors/queue/find-waiting.ts'
import type { ReplaceableServices } from '../actors/services.ts'
import { eventFanOut } from '../actors/subscription/fan-out.ts'
import { lostTurns } from '../actors/turn/sweep.ts'
import { priceRefresh, startPrices, usageSums } from '../actors/usage/start.ts'
import { openMasterKey } from '../config/seal.ts'
import { type Environment, openSettings } from '../config/settings.ts'
import { actorsOfNodes } from '../http/admin/actors/of-nodes.ts'
import { channelsOfNodes } from '../http/admin/channels/of-nodes.ts'
import { logOfNodes } from '../http/admin/log/of-nodes.ts'
import { metricsOfNodes, metricsText } from '../http/admin/metrics/of-nodes.ts'
import { nodeLoads } from '../http/admin/nodes/loads.ts'
import { modelTrials } from '../http/admin/settings/model-trials.ts'
import type { App } from '../http/app.ts'
import { openAuth } from '../http/auth/auth.ts'
import { keyRates, rateLimiter } from '../http/auth/rate-limiter.ts'
import { ratesOfNodes } from '../http/auth/rates-of-nodes.ts'
import { storedKeyRing } from '../http/auth/stored-keys.ts'
import { tickets } from '../http/auth/tickets.ts'
import { webhookListener } from '../http/chatapp/listener.ts'
import { openLargeJson } from '../http/edge/large-json.ts'
import { livePolicy } from '../http/edge/live-policy.ts'
import { createHttpGateway } from '../http/gateway.ts'
import { liveResponses } from '../http/responses/live-responses.ts'
import { routes } from '../http/routes.ts'
import { parseListenAddress } from '../http/server/listen-address.ts'
import { clientLogLimit } from '../http/system/client-log-limit.ts'
import { readinessProbe } from '../http/system/readiness.ts'
import { openUi } from '../http/ui/server.ts'
import { modelChooser } from '../models/choose.ts'
import type { Codec } from '../runtime/actor/codec.ts'
import { lifecycle } from '../runtime/lifecycle.ts'
import type { Log } from '../runtime/log/log.ts'
import type { LogTail } from '../runtime/log/tail.ts'
import { createResolver } from '../runtime/network/resolver.ts'
import type { Bus } from '../runtime/nodes/bus.ts'
import { systemRandom } from '../runtime/random.ts'
import { alone, type ProcessPlace } from '../runtime/supervise/messages.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import { noTracer } from '../runtime/telemetry/trace.ts'
import { type Clock, systemClock } from '../runtime/time/clock.ts'
import { minutes, seconds } from '../runtime/time/duration.ts'
import { offsetClock } from '../runtime/time/offset-clock.ts'
import { listenForChanges } from '../store/changes.ts'
import { openDatabase } from '../store/database.ts'
import { readMigrations } from '../store/migration-files.ts'
import { schemaState } from '../store/schema-state.ts'
import { checkMasterKey } from '../store/secrets.ts'
import { openToolbox } from '../tools/registry.ts'
import { natsOptions, openBus } from './bus/open.ts'
import { watchServers } from './database-servers.ts'
import { openFigures } from './figures.ts'
import { observeActors, observeChannels, observeDatabase } from './gauges.ts'
import { followStoredSettings, openLiveSettings } from './live-settings.ts'
import { openMedia } from './media.ts'
import { followModelEndpoints } from './model-endpoints.ts'
import { keysOfNodes, openOtherNodes } from './nodes-around.ts'
import { type OpenStore, openStore } from './open-store.ts'
import { openRecords } from './records.ts'
import { writeSettingsEvents } from './settings-events.ts'
import { startChecks } from './start-checks.ts'

export interface GatewayOptions {
  environment: Environment
  log: Log
  metrics: Metrics
  version: string
  clock?: Clock
  /** Passed to the actor system. For tests. */
  codec?: Codec
  /** Parts in place of the actors' own. For tests. */
  replaced?: Partial<ReplaceableServices>
  /** The newest log lines; telemetry sends them on. */
  tail?: LogTail
  /** Aborts when the process has to stop before it has started. */
  signal?: AbortSignal
  /** The node of a process that is known to have ended: whoever started it says so. */
  replaces?: number | undefined
  /** An operator wants this node to drain and end. */
  onDrainAsked?: (() => void) | undefined
  /** One of several processes of one parent. */
  place?: ProcessPlace | undefined
  /** The way to the other nodes, for the node of this number. */
  bus?: ((node: number) => Bus) | undefined
  /** The database, where it is being opened already. */
  store?: Promise<OpenStore>
  /** Called when everything but the servers has started: no client waits yet. */
  beforeListening?(): void
}

export interface RunningGateway {
  /** The number of this start. */
  node: number
  port: number
  /** The text of the first key, where one was created at this start; shown once. */
  firstKey: string | undefined
  /** The port of the admin UI; undefined where it is switched off. */
  uiPort: number | undefined
  /** The code to create the first operator with; undefined once there is one. */
  setupCode: string | undefined
  /** How long the drain may take. */
  drainMs: number
  /** What runs now: `actors` are all but those of maintenance, which stay once they have run. */
  stats(): Record<string, unknown>
  /** The drain: no new work, what runs may finish, then every part is closed. */
  stop(): Promise<void>
}

/** @throws StartFailed, with the part that could not start and why */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { environment, log, metrics, version, clock: own = systemClock, place = alone } = options
  const clock = offsetClock(own)
  const startedMs = clock.elapsed()
  const parts = lifecycle({ log, clock })
  const onAbort = () => void parts.stop()
  options.signal?.addEventListener('abort', onAbort, { once: true })

  const store = await parts.start(
    'database',
    (signal) => options.store ?? openStore(environment, { log, clock, signal }),
    {
      stop: (opened) => opened.close(),
      graceMs: seconds(15),
      // The built-in one ends in good order once it has started; an external one is not waited for.
      openGraceMs: seconds(15),
    },
  )
  const { dataDir } = store
  const db = await parts.start('connections', () => openDatabase(store.address, { clock, place }), {
    stop: (opened) => opened.close(),
  })
  observeDatabase(metrics, db)
  // Time that a test makes is nobody else's.
  const timeOfDatabase = options.clock ? undefined : { db, own, clock, log }
  if (timeOfDatabase) await parts.start('time', () => followDatabaseTime(timeOfDatabase))
  if (store.address.servers) watchServers({ servers: store.address.servers, log, metrics })

  const masterKey = () => openMasterKey({ dataDir, environment })
  const settings = await parts.start('settings', () => openLiveSettings({ environment, dataDir, db, log }))
  const drainMs = () => settings.get('SERVICE_DRAIN_TIMEOUT_S') * 1_000
  const changes = await parts.start('changes', () => listenForChanges(db, log), { stop: (opened) => opened.close() })
  const applyStoredSettings = followStoredSettings(settings, changes, { environment, dataDir, db, log })

  const telemetry = await parts.start(
    'telemetry',
    async () => {
      const endpoint = settings.get('SERVICE_OTEL_ENDPOINT')
      if (endpoint === '') return undefined
      const { openTelemetry } = await import('../runtime/telemetry/otel.ts')
      return await openTelemetry({ endpoint, version, metrics, log, tail: options.tail })
    },
    { stop: (opened) => opened?.close() },
  )
  const tracer = telemetry?.tracer ?? noTracer

  await parts.start('master key', () => checkMasterKey(db, masterKey))
  const { membership, firstKey } = await parts.start(
    'records',
    () => openRecords(db, { settings, version, log, clock, isAlone: store.isOurs, replaces: options.replaces }),
    { stop: (records) => records.membership.close() },
  )
  parts.onDrain(() => membership.leave())
  membership.onDrainAsked(() => {
    log.info('an operator has asked this node to drain')
    options.onDrainAsked?.()
  })

  const models = await parts.start(
    'models',
    () => modelChooser({ settings, clock, random: systemRandom, log, metrics, tracer }),
    { stop: (chooser) => chooser.close() },
  )
  await parts.start('model endpoints', () => followModelEndpoints(models, changes, { db, masterKey, log }))
  const resolve = createResolver()
  const tools = await parts.start('tools', () => openToolbox({ settings, log, clock, metrics, tracer, db, resolve }), {
    stop: (toolbox) => toolbox.close(),
    graceMs: minutes(60),
  })
  await parts.start('checks', () => startChecks({ settings, tools, log, clock }), {
    stop: (stopChecks) => stopChecks(),
  })

  const bus = await parts.start(
    'messages between nodes',
    async () => {
      const { node } = membership
      if (options.bus) return options.bus(node)
      const nats = natsOptions(settings)
      // Where no other process can be on the database, there is nobody to talk to.
      if (store.isOurs && nats.url === '') return undefined
      return await openBus({ db, masterKey: masterKey(), epoch: node, log }, nats)
    },
    {
      stop: (opened) => opened?.close(),
    },
  )
  const nodes = bus && openOtherNodes(membership, bus, { clock, log })
  const actors = await parts.start(
    'actors',
    () => {
      const model = () => models.current()
      const { tokens } = models
      const { codec, replaced } = options
      const shared = { db, settings, log, clock, tracer, leases: membership, masterKey, model, tokens, tools, resolve }
      return openActors({ ...shared, nodes, codec, replaced })
    },
    {
      async stop(opened) {
        await opened.stop(drainMs())
        await opened.close()
        nodes?.links.close()
      },
      graceMs: minutes(60),
    },
  )
  const { system, services } = actors
  parts.onDrain(() => actors.drain())
  observeActors(metrics, { system, running: services.running })
  observeChannels(metrics, services)
  writeSettingsEvents({ settings, db, leases: membership, feed: services.feed, log })
  await parts.start('agents', () => startAgents({ agents: services.agents, changes, log }), {
    stop: (stopAgents) => stopAgents(),
  })
  await parts.start(
    'prices',
    () => startPrices({ db, prices: services.prices, budgets: services.budgets, changes, log }),
    {
      stop: (stopPrices) => stopPrices(),
    },
  )
  const outboxes = await parts.start('channels', () => startChannels({ ...actors, changes, clock, log }))
  const waitingTurns = startFinding({ services, changes, clock, log })
  membership.onLost((isLost) => {
    system.release(isLost)
    services.histories.forgetAll(isLost)
    services.queue.forget(isLost)
  })
  membership.onRevived(() => system.checkPins())
  membership.onGained(async (isGained) => {
    outboxes.open(isGained)
    await waitingTurns.find()
  })
  // What others had to say of turns that they stored is lost with the way to them.
  nodes?.links.onCut(() => {
    waitingTurns.find().catch((error: unknown) => log.debug({ err: error }, 'the next search finds waiting turns'))
  })
  const media = await parts.start('media', () =>
    openMedia({ db, settings, masterKey, node: membership.node, clock, metrics }),
  )
  await parts.start('node', (signal) => membership.start(signal))
  await parts.start(
    'maintenance',
    () => {
      const tasks = [
        retention({ db, settings, clock, log }),
        lostTurns({ db, node: membership.node, running: services.running, clock, log }),
        agentRefresh(services.agents),
        priceRefresh({ db, prices: services.prices, budgets: services.budgets }),
        usageSums({ db }),
        outboxes.task,
        ...(media ? [mediaSweep({ db, blobs: media.blobs, settings, clock, log })] : []),
        ...(timeOfDatabase ? [databaseTime(timeOfDatabase)] : []),
        waitingTurns.task,
        eventFanOut({ services, system, clock, log }),
        alertEvaluation({ services, settings, clock, log, gauges: alertGauges(metrics) }),
        endpointCounting({ db, node: membership.node, take: () => models.takeCounts() }),
      ]
      return tasks.map((task) => startMaintenance({ services, system, clock }, task))
    },
    {
      async stop(repetitions) {
        await Promise.all(repetitions.map((repetition) => repetition.stop()))
      },
    },
  )

  // A ticket of one node is one at each. Where there are no others, its key needs to be nobody's but this process's.
  const keyOfNodes = bus && (await keysOfNodes(db, masterKey()))
  const keys = await parts.start('keys', () => storedKeyRing({ db, changes, settings, clock, nodes }), {
    stop: (ring) => ring.close(),
  })
  const living = () => membership.nodes.map(({ epoch }) => epoch)
  const here = { node: membership.node, bus, clock }
  const amongNodes = keyOfNodes &&
    bus && {
      ...{ bus, around: membership, node: membership.node, setupKey: keyOfNodes('setup code') },
      isLiving: (node: number) => living().includes(node),
    }
  const auth = await parts.start(
    'sign-in',
    () => openAuth({ db, changes, settings, clock, log, metrics, nodes: amongNodes }),
    {
      stop: (opened) => opened.close(),
    },
  )
  const largeJson = await parts.start('large bodies', async () => openLargeJson({ clock, log, metrics }), {
    stop: (parser) => parser.close(),
  })
  options.beforeListening?.()

  // The UI's pages contain the gateway's port, which is known once both listen.
  const listening = { port: 0 }
  const ui = await parts.start('ui', () => openUi({ settings, clock, log, place, gatewayPort: () => listening.port }), {
    stop: (server) => server?.close(seconds(5)),
  })
  const way = () => (natsOptions(settings).url === '' ? 'database' : 'nats')
  const figures = openFigures({ system, services, membership, bus, way })
  const gateway = await parts.start(
    'http',
    async () => {
      const migrations = await readMigrations()
      const policy = livePolicy(settings, ui?.port)
      const app: App = {
        settings,
        log,
        db,
        system,
        services,
        tracer,
        metrics,
        clock,
        keys,
        auth,
        limits: nodes
          ? ratesOfNodes({ own: keyRates(clock), bus: nodes.bus, nodes: membership, clock })
          : rateLimiter(clock),
        tickets: tickets(clock, keyOfNodes?.('tickets')),
        largeJson,
        media,
        liveResponses: liveResponses(),
        nodes: nodeLoads(here, () => figures.load(server.connections)),
        metricsOfNodes: metricsOfNodes(here, () => metricsText(metrics)),
        channelsOfNodes: channelsOfNodes(here, services, living),
        actorsOfNodes: actorsOfNodes(here, { system, metrics, db, living }),
        clientLogLimit: clientLogLimit(clock),
        models,
        modelTrials: modelTrials(),
        version,
        logOfNodes: logOfNodes(here, { tail: options.tail, living }),
        masterKey,
        applyStoredSettings,
        settingsWith: (stored) => openSettings({ environment, stored }),
        ready: readinessProbe({
          clock,
          isDatabaseUp: () => db.isUp(),
          schemaState: () => schemaState(db.system, { migrations, version }),
          isDraining: () => parts.state === 'draining',
        }),
      }
      const { server } = createHttpGateway({
        app,
        routes,
        policy,
        connectionsMax: settings.get('SERVICE_CONNECTIONS_MAX'),
        streamBytesMax: settings.get('SERVICE_STREAM_BUFFER_BYTES'),
        place,
      })
      listening.port = server.listen(parseListenAddress(settings.get('SERVICE_GATEWAY_ADDR')))
      return { server, webhooks: webhookListener(app, policy, place) }
    },
    {
      async stop({ server, webhooks }) {
        server.drain()
        // What comes later is posted again.
        await webhooks.close(seconds(1))
        // Running turns end first: their answers need the open connections. What others can take they have before it is refused here.
        const untilMs = clock.elapsed() + drainMs()
        await membership.handedOver(drainMs())
        await actors.stop(Math.max(0, untilMs - clock.elapsed()))
        await server.close(seconds(5))
      },
      graceMs: minutes(60),
    },
  )

  parts.ready()
  options.signal?.removeEventListener('abort', onAbort)
  const { port } = listening
  metrics.onScrape('service_ready', (gauge) => gauge.set(parts.state === 'ready' ? 1 : 0))
  log.info({ node: membership.node, port, version, tookMs: Math.round(clock.elapsed() - startedMs) }, 'ready')

  return {
    node: membership.node,
    port,
    firstKey,
    uiPort: ui?.port,
    get setupCode() {
      return auth.setup.text
    },
    get drainMs() {
      return drainMs()
    },
    stats: () => figures.stats(gateway.server.connections),
    stop: () => parts.stop(),
  }
}
