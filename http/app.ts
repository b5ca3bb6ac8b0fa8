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
import type { Database } from '../store/database.ts'
import type { Auth } from './auth/auth.ts'
import type { KeyRing } from './auth/key-ring.ts'
import type { RateLimiter } from './auth/rate-limiter.ts'
import type { Tickets } from './auth/tickets.ts'

/** Whether the service can do its work now; each part says why it cannot. */
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
  /** What the actors have too. */
  readonly services: Services
  readonly tracer: Tracer
  readonly metrics: Metrics
  readonly clock: Clock
  readonly keys: KeyRing
  readonly auth: Auth
  readonly limits: RateLimiter
  readonly tickets: Tickets
  readonly version: string
  /** The newest lines of the log; undefined where nobody keeps them. */
  readonly logTail: LogTail | undefined
  /** What secrets at rest are sealed with. */
  masterKey(): MasterKey
  /** The settings of a start with these stored values, unsealed. @throws SettingsRefused */
  settingsWith(stored: ReadonlyMap<string, string>): Settings
  /** Bounded: answers within a few seconds, also while the database hangs. */
  ready(): Promise<Readiness>
}
