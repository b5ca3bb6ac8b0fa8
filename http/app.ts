/** What the process hands to every route: the rooms below, wired once at the start. */
import type { Services } from '../actors/services.ts'
import type { MasterKey } from '../config/seal.ts'
import type { Settings } from '../config/settings.ts'
import type { System } from '../runtime/actor/system.ts'
import type { Log } from '../runtime/log/log.ts'
import type { LogTail } from '../runtime/log/tail.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import type { Places } from '../runtime/time/places.ts'
import type { Database } from '../store/database.ts'
import type { Auth } from './auth/auth.ts'
import type { KeyRing } from './auth/key-ring.ts'
import type { RateLimiter } from './auth/rate-limiter.ts'
import type { Tickets } from './auth/tickets.ts'
import type { ClientLogLimit } from './system/client-log-limit.ts'

/** Whether the service can do its work now, and if not, why. */
export interface Readiness {
  isReady: boolean
  database: 'up' | 'down'
  schema: 'ready' | 'pending' | 'newer' | 'unknown'
  isDraining: boolean
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
  /** Of what clients send to our log. */
  readonly clientLogLimit: ClientLogLimit
  /** Of endpoints that are not stored yet. */
  readonly modelTrials: Places
  readonly version: string
  /** The newest lines of the log; undefined where they are not kept. */
  readonly logTail: LogTail | undefined
  /** What secrets at rest are sealed with. */
  masterKey(): MasterKey
  /** The settings of a start with these stored values, unsealed. @throws SettingsRefused */
  settingsWith(stored: ReadonlyMap<string, string>): Settings
  /** Bounded: answers within a few seconds, also while the database hangs. */
  ready(): Promise<Readiness>
}
