/** The services that every route can use, opened once at the start. */
import type { Services } from '../actors/services.ts'
import type { MasterKey } from '../config/seal.ts'
import type { Settings } from '../config/settings.ts'
import type { ModelChooser } from '../models/choose.ts'
import type { System } from '../runtime/actor/system.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import type { Places } from '../runtime/time/places.ts'
import type { Database } from '../store/database.ts'
import type { Blobs } from '../store/media/blobs.ts'
import type { Uploads } from '../store/media/uploads.ts'
import type { ActorsOfNodes } from './admin/actors/of-nodes.ts'
import type { ChannelsOfNodes } from './admin/channels/of-nodes.ts'
import type { LogOfNodes } from './admin/log/of-nodes.ts'
import type { MetricsOfNodes } from './admin/metrics/of-nodes.ts'
import type { NodeLoads } from './admin/nodes/loads.ts'
import type { Auth } from './auth/auth.ts'
import type { KeyRing } from './auth/key-ring.ts'
import type { RateLimiter } from './auth/rate-limiter.ts'
import type { Tickets } from './auth/tickets.ts'
import type { LargeJson } from './edge/large-json.ts'
import type { SignedUrls } from './media/signed-urls.ts'
import type { LiveResponses } from './responses/live-responses.ts'
import type { ClientLogLimit } from './system/client-log-limit.ts'

/** Whether the service can do its work now, and if not, why. */
export interface Readiness {
  isReady: boolean
  database: 'up' | 'down'
  schema: 'ready' | 'pending' | 'newer' | 'unknown'
  isDraining: boolean
}

/** Of files: absent where SERVICE_BLOB_DIR is blank. The bounds are of settings. */
export interface MediaOfApp {
  readonly blobs: Blobs
  readonly uploads: Uploads
  readonly urls: SignedUrls
  /** Of one file. */
  bytesMax(): number
  /** Of a workspace; 0: none. */
  quotaBytes(): number
  /** How long a signed address is good for. */
  urlTtlMs(): number
}

export interface App {
  readonly settings: Settings
  readonly log: Log
  readonly db: Database
  readonly system: System
  /** Shared with the actors. */
  readonly services: Services
  readonly tracer: Tracer
  readonly metrics: Metrics
  readonly clock: Clock
  readonly keys: KeyRing
  readonly auth: Auth
  readonly limits: RateLimiter
  readonly tickets: Tickets
  readonly largeJson: LargeJson
  readonly media: MediaOfApp | undefined
  readonly liveResponses: LiveResponses
  /** Limits the log lines of clients. */
  readonly clientLogLimit: ClientLogLimit
  /** What each node has to do at the moment. */
  readonly nodes: NodeLoads
  readonly metricsOfNodes: MetricsOfNodes
  readonly channelsOfNodes: ChannelsOfNodes
  readonly actorsOfNodes: ActorsOfNodes
  readonly models: Pick<ModelChooser, 'offered' | 'takesAnyName'>
  /** Bounds the tests of model endpoints that run at once. */
  readonly modelTrials: Places
  readonly version: string
  /** The newest lines of the log; undefined where none are kept in memory. */
  /** Its newest lines, of all nodes. */
  readonly logOfNodes: LogOfNodes
  /** Secrets at rest are sealed with it. */
  masterKey(): MasterKey
  /** Those that are stored now are in effect in this process when it resolves. */
  applyStoredSettings(): Promise<void>
  /** The settings as a start with these stored, unsealed values would have them. @throws SettingsRefused */
  settingsWith(stored: ReadonlyMap<string, string>): Settings
  /** Bounded: answers within a few seconds, also while the database hangs. */
  ready(): Promise<Readiness>
}
