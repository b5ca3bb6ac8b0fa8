/** Everything that signing in needs: passwords, sessions, limits on guessing, the setup code of the first start. */
import type { KeyObject } from 'node:crypto'
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import { createPool } from '../../runtime/pool/pool.ts'
import type { Metrics } from '../../runtime/telemetry/metrics.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { Changes } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import { countOperators } from '../../store/operators/operators.ts'
import { findSession, readInstallationId, touchSession } from '../../store/operators/sessions.ts'
import { type HashTask, hashPool } from '../../workers/hash.task.ts'
import { type Challenges, ownChallenges } from './challenges.ts'
import { challengesOfNodes } from './challenges-of-nodes.ts'
import type { GuessNodes } from './credential-guesses.ts'
import { type LiveCredentials, liveCredentials } from './live-credentials.ts'
import { type LoginLimit, loginLimit } from './login-limit.ts'
import { type Passwords, passwords } from './passwords.ts'
import { type RefusalAudit, refusalAudit } from './refusal-audit.ts'
import { type SessionCookie, sessionCookie } from './session-cookie.ts'
import { type SessionRing, sessionRing } from './session-ring.ts'
import { type SetupCode, setupCode } from './setup-code.ts'

export interface Auth {
  readonly passwords: Passwords
  readonly sessions: SessionRing
  readonly cookie: SessionCookie
  readonly limit: LoginLimit
  /** Which refused guesses go to the audit log. */
  readonly refusalAudit: RefusalAudit
  readonly setup: SetupCode
  /** For passkeys to sign. */
  readonly challenges: Challenges
  /** The credentials of open streams and sockets. */
  readonly liveCredentials: LiveCredentials
  close(): Promise<void>
}

export interface AuthOptions {
  db: Database
  changes: Changes
  settings: Settings
  clock: Clock
  log: Log
  metrics: Metrics
  /** Absent: there are no others. */
  nodes?: AmongNodes | undefined
}

export interface AmongNodes extends GuessNodes {
  /** The number of this one. */
  node: number
  isLiving(node: number): boolean
  /** The same at each: of their setup code. */
  setupKey: KeyObject
}

export async function openAuth(options: AuthOptions): Promise<Auth> {
  const { db, changes, settings, clock, log, metrics, nodes } = options
  const [operators, installationId] = await Promise.all([countOperators(db), readInstallationId(db)])
  const pool = createPool<HashTask, string | boolean>({ ...hashPool, clock, log, metrics })
  const sessions = sessionRing({
    ...{ clock, nodes },
    find: (hash, idleSeconds) => findSession(db, hash, idleSeconds),
    touch: (id) => touchSession(db, id),
    onChange: (fire) => changes.onChange('sessions', fire),
    isListening: () => changes.isListening,
    idleMs: () => minutes(settings.get('SERVICE_SESSION_IDLE_MINUTES')),
  })
  const setup = setupCode(operators === 0, nodes?.setupKey)
  // The first operator may be created elsewhere: on the command line, or by another process of this database.
  const stopCounting = changes.onChange('sessions', () => void voidCode())
  async function voidCode(): Promise<void> {
    if (setup.text === undefined) return
    try {
      if ((await countOperators(db)) > 0) setup.invalidate()
    } catch (error) {
      // The code then still looks valid but cannot be used: the store refuses a second first operator.
      log.warn({ err: error }, 'could not check whether an operator exists; the setup code stays shown')
    }
  }
  const own = ownChallenges(clock)
  const live = liveCredentials({
    clock,
    log,
    onChange(fire) {
      const stops = [changes.onChange('api_keys', fire), changes.onChange('sessions', fire)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  })
  return {
    passwords: passwords(pool),
    sessions,
    cookie: sessionCookie(installationId),
    limit: loginLimit(clock, nodes?.bus),
    refusalAudit: refusalAudit(clock),
    setup,
    challenges: nodes
      ? challengesOfNodes({ own, clock, ...nodes })
      : { ...own, redeem: async (...wish) => own.redeem(...wish) },
    liveCredentials: live,
    async close() {
      stopCounting()
      live.close()
      sessions.close()
      await pool.close()
    },
  }
}
