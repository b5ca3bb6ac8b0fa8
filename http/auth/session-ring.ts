/** Whose session a cookie is. Sessions are cached, and the cache is used only while changes are received, as with keys. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { oncePerKey } from '../../runtime/time/once-per-key.ts'
import { type SessionId, uuidOf } from '../../store/id.ts'
import type { LiveSession } from '../../store/operators/sessions.ts'
import { ownerId } from '../../store/owner-id.ts'
import type { Principal, SignedIn } from '../access.ts'
import { ApiError, overloaded } from '../error.ts'
import { bindCredential } from './credential.ts'
import { credentialGuesses, type GuessNodes, tooManyGuesses } from './credential-guesses.ts'
import { csrfTokenOf, sessionDigest } from './session-cookie.ts'

export interface SessionRingOptions {
  clock: Clock
  /** Where guesses are counted. Absent: there are no other nodes. */
  nodes?: GuessNodes | undefined
  /** One query. @param hash SHA-256 of the token */
  find(hash: Buffer, idleSeconds: number): Promise<LiveSession | undefined>
  /** Stores that the session was used. */
  touch(id: SessionId): Promise<void>
  onChange(fire: () => void): () => void
  isListening(): boolean
  /** A session unused for this long has ended. */
  idleMs(): number
}

export interface SessionRing {
  authenticate(token: string, clientIp: () => string): Principal | ApiError | Promise<Principal | ApiError>
  /**
   * Whose session it is now, with an empty `csrfToken`; does not count as a use. Undefined: it has ended.
   * @param digest of its token
   */
  currentPrincipal(digest: string): Promise<Principal | undefined>
  /** Clears the cache, after this process has changed a session. */
  forget(): void
  close(): void
}

const cachedMax = 10_000
const lookupsMax = 256
/** After this a session is looked up again, and its use stored. */
const cachedForMs = minutes(1)
const noScopes: ReadonlySet<never> = new Set()

interface CachedSession {
  principal: Principal
  untilMs: number
}

export const sessionEnded = (): ApiError => new ApiError('session_ended', 'The session has ended; sign in again.')

export function sessionRing(options: SessionRingOptions): SessionRing {
  const { clock } = options
  const cachedSessions = new LRUCache<string, CachedSession>({ max: cachedMax })
  const lookups = oncePerKey<string, Principal | undefined>()
  const guesses = credentialGuesses(clock, 'session', options.nodes)
  /** Raised with every change, so that a lookup that began before a change is not cached after it. */
  let generation = 0

  function forget(): void {
    generation++
    cachedSessions.clear()
    lookups.forget()
  }

  const stopListening = options.onChange(forget)

  const findNow = (digest: string) => options.find(Buffer.from(digest, 'hex'), Math.ceil(options.idleMs() / 1_000))

  async function lookUp(digest: string, csrfToken: string): Promise<Principal | undefined> {
    const begun = generation
    const session = await findNow(digest)
    if (!session) return undefined
    const principal = bindCredential({ kind: 'session', digest }, principalOf(session, csrfToken))
    if (clock.now() - session.seenAt.getTime() >= cachedForMs) await options.touch(session.id)
    if (begun === generation && options.isListening())
      cachedSessions.set(digest, { principal, untilMs: clock.elapsed() + cachedForMs })
    return principal
  }

  async function find(token: string, digest: string, address: string): Promise<Principal | ApiError> {
    const principal = await lookups.run(digest, () => lookUp(digest, csrfTokenOf(token)))
    if (principal) return principal
    const waitMs = await guesses.failed(address)
    return waitMs > 0 ? tooManyGuesses(waitMs) : sessionEnded()
  }

  return {
    authenticate(token, clientIp) {
      const digest = sessionDigest(token)
      const cached = options.isListening() ? cachedSessions.get(digest) : undefined
      if (cached && cached.untilMs > clock.elapsed() && !isOver(cached.principal, clock)) return cached.principal
      const address = clientIp()
      const waitMs = guesses.retryAfterMs(address)
      if (waitMs > 0) return tooManyGuesses(waitMs)
      if (lookups.size >= lookupsMax) return overloaded('Too many sessions are being looked up; try again.')
      return find(token, digest, address)
    },
    async currentPrincipal(digest) {
      const session = await findNow(digest)
      return session && principalOf(session, '')
    },
    forget,
    close: stopListening,
  }
}

function isOver(principal: Principal, clock: Clock): boolean {
  return principal.expiresAtMs !== null && principal.expiresAtMs <= clock.now()
}

function principalOf(session: LiveSession, csrfToken: string): Principal & { operator: SignedIn } {
  return {
    kind: 'operator',
    keyId: null,
    workspaceId: session.workspaceId,
    owner: ownerId('operator', uuidOf(session.operatorId)),
    scopes: noScopes,
    rateLimitRpm: null,
    expiresAtMs: session.expiresAt.getTime(),
    operator: {
      id: session.operatorId,
      sessionId: session.id,
      login: session.login,
      role: session.role,
      csrfToken,
      confirmedAtMs: session.confirmedAt.getTime(),
    },
  }
}
