/** Puts the gateway together: store, settings, models, actors, HTTP, in this order, and takes it apart in the other. */
import { startAgents } from '../actors/agent/directory/start.ts'
import { startChannels } from '../actors/channel/start.ts'
import { endingsMax } from '../actors/conversation/answer-queued.ts'
import { type Retention, sweepOldRows } from '../actors/feed/retention.ts'
import { type Actors, openActors } from '../actors/open.ts'
import { keepFinding } from '../actors/queue/find-waiting.ts'
import { type Sweep, sweepLostTurns } from '../actors/turn/sweep.ts'
import { openMasterKey } from '../config/seal.ts'
import { type Environment, openSettings, type Settings } from '../config/settings.ts'
import { type Auth, openAuth } from '../http/auth/auth.ts'
import { bootstrapKey } from '../http/auth/bootstrap-key.ts'
import type { KeyRing } from '../http/auth/key-ring.ts'
import { rateLimiter } from '../http/auth/rate-limiter.ts'
import { storedKeyRing } from '../http/auth/stored-keys.ts'
import { tickets } from '../http/auth/tickets.ts'
import { livePolicy } from '../http/edge/live-policy.ts'
import { createGateway, type Gateway } from '../http/gateway.ts'
import { routes } from '../http/routes.ts'
import { parseListenAddress } from '../http/server/listen-address.ts'
import { readinessProbe } from '../http/system/readiness.ts'
import { openUi, type UiServer } from '../http/ui/server.ts'
import { type ModelChooser, modelChooser } from '../models/choose.ts'
import type { Codec } from '../runtime/actor/codec.ts'
import { lifecycle, type Part } from '../runtime/lifecycle.ts'
import type { Log } from '../runtime/log/log.ts'
import type { LogTail } from '../runtime/log/tail.ts'
import { systemRandom } from '../runtime/random.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import { noTracer, type Tracer } from '../runtime/telemetry/trace.ts'
import { type Clock, systemClock } from '../runtime/time/clock.ts'
import { minutes, seconds } from '../runtime/time/duration.ts'
import { type Changes, listenForChanges } from '../store/changes.ts'
import { ensureChannel } from '../store/channels.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { firstWorkspaceId, WorkspaceId } from '../store/id.ts'
import { registerInstance, retireInstance } from '../store/instances.ts'
import { readMigrations, schemaState } from '../store/migrate.ts'
import { readPlainSettings } from '../store/settings/live-settings.ts'
import { recoverTurns } from '../store/turns/queue.ts'
import { ensureWorkspace } from '../store/workspaces.ts'
import { openToolbox, type Toolbox } from '../tools/registry.ts'
import { observeActors, observeChannels, observeDatabase } from './gauges.ts'
import { type OpenStore, openStore } from './open-store.ts'
import { warnOfTools } from './tool-warnings.ts'

export interface GatewayOptions {
  environment: Environment
  log: Log
  metrics: Metrics
  version: string
  clock?: Clock
  /** Passed to the actor system. For tests. */
  codec?: Codec
  /** The newest log lines; what telemetry passes on. */
  tail?: LogTail
  /** Aborts when the process is to stop before it has started. */
  signal?: AbortSignal
  /** Called when everything but the servers has started: nobody waits yet. */
  beforeListening?(): void
}

export interface RunningGateway {
  port: number
  /** The text of the first key, where one was made at this start; shown once. */
  firstKey: string | undefined
  /** Where the admin UI listens; undefined where it is switched off. */
  uiPort: number | undefined
  /** Makes the first operator; undefined once there is one. */
  setupCode: string | undefined
  /** How long the drain may take. */
  drainMs: number
  stats(): Record<string, unknown>
  /** The drain: nothing new, what runs may finish, then everything is closed. */
  stop(): Promise<void>
}

/** @throws StartFailed, with the part that could not start and why */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { environment, log, metrics, version, clock = systemClock } = options
  const startedMs = clock.elapsed()
  // Set by the part of their name, in the order of `parts`; nothing reads one before its part has started.
  let store: OpenStore
  let db: Database
  let settings: Settings
  let changes: Changes
  let epoch: number
  let firstKey: string | undefined
  let tracer: Tracer = noTracer
  let retention: Retention
  let models: ModelChooser
  let tools: Toolbox
  let stopToolWarnings: () => Promise<void>
  let actors: Actors
  let sweep: Sweep
  let keys: KeyRing
  let auth: Auth | undefined
  let ui: UiServer | undefined
  let gateway: Gateway
  let port = 0
  const drainMs = () => settings?.get('SERVICE_DRAIN_TIMEOUT_S') * 1_000

  const parts: Part[] = [
    {
      name: 'database',
      graceMs: seconds(15),
      async start(signal) {
        store = await openStore(environment, { log, clock, signal })
        db = openDatabase(store.address, { clock })
        observeDatabase(metrics, db)
      },
      async stop() {
        await db.close()
        await store.close()
      },
    },
    {
      name: 'settings',
      async start() {
        const masterKey = () => openMasterKey({ dataDir: store.dataDir, environment })
        settings = openSettings({ environment, stored: await readPlainSettings(db, masterKey) })
        log.level = settings.get('SERVICE_LOG_LEVEL')
        settings.onChange((changed) => {
          log.level = settings.get('SERVICE_LOG_LEVEL')
          log.info({ settings: [...changed] }, 'settings took effect')
        })
        changes = await listenForChanges(db, log)
        changes.onChange('settings', () => void reload())
        async function reload(): Promise<void> {
          try {
            for (const refusal of settings.apply(await readPlainSettings(db, masterKey))) {
              log.error(
                { setting: refusal.key, allowed: refusal.allowed },
                'a stored setting cannot be; the value before it stays',
              )
            }
          } catch (error) {
            log.error({ err: error }, 'changed settings could not be read; those before them stay')
          }
        }
      },
      stop: () => changes.close(),
    },
    {
      name: 'telemetry',
      async start() {
        const endpoint = settings.get('SERVICE_OTEL_ENDPOINT')
        if (endpoint === '') return
        const { openTelemetry } = await import('../runtime/telemetry/otel.ts')
        const telemetry = await openTelemetry({ endpoint, version, metrics, log, tail: options.tail })
        tracer = telemetry.tracer
        closeTelemetry = () => telemetry.close()
      },
      stop: () => closeTelemetry(),
    },
    {
      name: 'records',
      graceMs: seconds(10),
      async start() {
        epoch = await registerInstance(db, { version, pid: process.pid })
        const left = await recoverTurns(db, epoch, endingsMax)
        if (left.interrupted > 0)
          log.warn({ turns: left.interrupted }, 'turns of an earlier start were closed as interrupted')
        if (left.queued > 0) log.warn({ turns: left.queued }, 'turns of an earlier start wait in the queue again')
        if (left.failed > 0)
          log.error({ turns: left.failed }, 'turns during which the service ended each time have failed')
        await ensureWorkspace(db, defaultWorkspace(settings), 'default')
        await ensureChannel(db, { workspaceId: defaultWorkspace(settings), name: 'generic', adapter: 'generic' })
        firstKey = await bootstrapKey(db, {
          given: settings.get('SERVICE_BOOTSTRAP_KEY'),
          workspaceId: defaultWorkspace(settings),
        })
        retention = sweepOldRows({ db, settings, clock, log })
      },
      async stop() {
        retention.stop()
        await retireInstance(db, epoch)
      },
    },
    {
      name: 'models',
      async start() {
        models = modelChooser({ settings, clock, random: systemRandom, log, metrics, tracer })
      },
      stop: () => models.close(),
    },
    {
      name: 'actors',
      graceMs: minutes(60),
      async start() {
        tools = await openToolbox({ settings, log, clock, metrics, tracer, db })
        stopToolWarnings = warnOfTools({ tools, settings, log, clock })
        actors = openActors({
          ...{ db, settings, log, clock, tracer, epoch },
          codec: options.codec,
          masterKey: () => openMasterKey({ dataDir: store.dataDir, environment }),
          model: () => models.current(),
          tokens: models.tokens,
          tools,
        })
        const { system, services } = actors
        sweep = sweepLostTurns({ db, epoch, running: services.running, clock, log })
        observeActors(metrics, { system, running: services.running })
        observeChannels(metrics, services)
        state.onDrain(() => actors.drain())
      },
      async stop() {
        await actors.stop(drainMs())
        sweep.stop()
        await actors.close()
        await stopToolWarnings()
        await tools.close()
      },
    },
    {
      name: 'channels',
      async start() {
        const stopAgents = await startAgents({ agents: actors.services.agents, changes, clock, log })
        const stopLooking = await startChannels({ ...actors, changes, clock, log })
        const stopFinding = keepFinding({ services: actors.services, clock, log })
        stopChannels = () => {
          stopAgents()
          stopLooking()
          stopFinding()
        }
      },
      async stop() {
        stopChannels()
      },
    },
    {
      name: 'http',
      graceMs: minutes(60),
      async start() {
        keys = storedKeyRing({ db, changes, settings, clock })
        const opened = await openAuth({ db, changes, settings, clock, log, metrics })
        auth = opened
        options.beforeListening?.()
        ui = openUi({ settings, clock, log, gatewayPort: () => port })
        const newest = (await readMigrations()).at(-1)?.number ?? 0
        gateway = createGateway({
          app: {
            settings,
            log,
            db,
            system: actors.system,
            services: actors.services,
            tracer,
            metrics,
            clock,
            keys,
            auth: opened,
            limits: rateLimiter(clock),
            tickets: tickets(clock),
            version,
            logTail: options.tail,
            masterKey: () => openMasterKey({ dataDir: store.dataDir, environment }),
            settingsWith: (stored) => openSettings({ environment, stored }),
            ready: readinessProbe({
              clock,
              isDatabaseUp: () => db.isUp(),
              schemaState: () => schemaState(db.system, newest),
              isDraining: () => state.state === 'draining',
            }),
          },
          routes,
          policy: livePolicy(settings, ui?.port),
          connectionsMax: settings.get('SERVICE_CONNECTIONS_MAX'),
          streamBytesMax: settings.get('SERVICE_STREAM_BUFFER_BYTES'),
        })
        port = gateway.listen(parseListenAddress(settings.get('SERVICE_GATEWAY_ADDR')))
      },
      async stop() {
        // Running turns end first: their answers leave through connections that are still open.
        gateway.drain()
        await actors.stop(drainMs())
        await Promise.all([gateway.close(seconds(5)), ui?.close(seconds(5))])
        await keys.close()
        await auth?.close()
      },
    },
  ]
  let closeTelemetry = async () => {}
  let stopChannels = () => {}
  const state = lifecycle({ parts, log, clock })
  const onAbort = () => void state.stop()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  await state.start()
  options.signal?.removeEventListener('abort', onAbort)
  metrics.observeReadiness(() => state.state === 'ready')
  log.info({ port, version, tookMs: Math.round(clock.elapsed() - startedMs) }, 'ready')

  return {
    port,
    firstKey,
    uiPort: ui?.port,
    get setupCode() {
      return auth?.setup.text
    },
    get drainMs() {
      return drainMs()
    },
    stats: () => ({
      actors: actors.system.live,
      turns: actors.services.running.size,
      streams: actors.system.streams.size,
      connections: gateway.connections,
      ...actors.system.counts,
      ...processFigures(),
    }),
    stop: () => state.stop(),
  }
}

function defaultWorkspace(settings: Settings): WorkspaceId {
  const named = settings.get('SERVICE_DEFAULT_WORKSPACE_ID')
  return named === '' ? firstWorkspaceId : WorkspaceId.parse(named)
}

function processFigures(): Record<string, unknown> {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  return {
    rss,
    heapTotal,
    heapUsed,
    external,
    timers: resources.filter((name) => name === 'Timeout').length,
    sockets: resources.filter((name) => name === 'TCPSocketWrap' || name === 'PipeWrap').length,
  }
}
