/**
 * Who a bearer credential belongs to. Known keys are remembered, and trusted only while the store tells us of every
 * change; unknown ones are remembered for a moment in a memory of their own, so that garbage cannot push out good keys.
 */
import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { oncePerKey } from '../../runtime/time/once-per-key.ts'
import type { WorkspaceId } from '../../store/id.ts'
import type { Principal, Scope } from '../access.ts'
import { type AddressTest, addressTest } from '../edge/client-ip.ts'
import { ApiError, overloaded, unauthorized } from '../error.ts'
import { bindCredential } from './credential.ts'
import { credentialGuesses, tooManyGuesses } from './credential-guesses.ts'
import { isKeyText, keyDigest } from './key-text.ts'
import { type Role, roleMay } from './permissions.ts'

/** A stored key, as the store gives it. */
export interface StoredKey {
  id: NonNullable<Principal['keyId']>
  workspaceId: WorkspaceId
  scopes: readonly Scope[]
  rateLimitRpm: number | null
  expiresAt: Date | null
  revokedAt: Date | null
  kind: 'service' | 'personal'
  /** Networks that it may come from; empty: any. */
  allowedIps: readonly string[]
  /** Of a personal key: what its owner may do now. */
  owner: { isDisabled: boolean; role: Role | null } | null
}

export interface KeyRingOptions {
  clock: Clock
  /** One query. @param hash SHA-256 of the key's text, 32 bytes */
  find(hash: Buffer): Promise<StoredKey | null | undefined>
  /** Calls back after any key changed, and after a time in which changes could not be heard. Returns how to stop. */
  onChange(fire: () => void): () => void
  /** Whether changes are being heard now; while not, nothing that is remembered counts. */
  isListening(): boolean
  /** SERVICE_COMPAT_KEY; empty when unset. Read at every use. */
  compatKey(): string
  compatWorkspace(): WorkspaceId
  /** The key is in use: told of each at most once a minute, and takes no time. */
  onUse(id: StoredKey['id']): void
}

export interface KeyRing {
  /**
   * The caller, or what to tell it. Answers at once when the credential is known, else after one query.
   * @param clientIp asked for only when the credential is unknown, to bound guessing, or bound to addresses
   */
  authenticate(bearer: string, clientIp: () => string): Principal | ApiError | Promise<Principal | ApiError>
  /** Whose key it is now, without its being a use of it, or a guess; undefined: it has ended. @param digest of its text */
  currentPrincipal(digest: string): Promise<Principal | undefined>
  /** Drops everything remembered: a key was changed here, and its change need not travel to be heeded. */
  forget(): void
  /** Resolves when nothing of it is left to be written. */
  close(): void | Promise<void>
}

interface CachedKey {
  readonly principal: Principal
  /** Undefined: from anywhere. */
  readonly isAllowedFrom: AddressTest | undefined
  notedMs: number
}

const knownMax = 10_000
const notedEveryMs = 60_000
const unknownMax = 1_000
const unknownForMs = 5_000
const lookupsMax = 256

const invalid = unauthorized('The API key is unknown, revoked or expired.')
const strangeAddress = new ApiError('ip_not_allowed', 'This key cannot be used from this address.')

export function keyRing(options: KeyRingOptions): KeyRing {
  const { clock } = options
  const known = new LRUCache<string, CachedKey>({ max: knownMax })
  const unknownUntil = new LRUCache<string, number>({ max: unknownMax })
  const lookups = oncePerKey<string, CachedKey | undefined>()
  const guesses = credentialGuesses(clock)
  let compat: { text: string; digest: Buffer; principal: Principal } | undefined
  /** Raised with every change, so that an answer from before it is not remembered after it. */
  let generation = 0

  function forget(): void {
    generation++
    known.clear()
    unknownUntil.clear()
    lookups.forget()
  }

  const stopListening = options.onChange(forget)

  function compatPrincipal(digest: string): Principal | undefined {
    const text = options.compatKey()
    if (text === '') return undefined
    if (compat?.text !== text) {
      const fresh = keyDigest(text)
      const principal = bindCredential({ kind: 'key', digest: fresh }, compatible(options.compatWorkspace()))
      compat = { text, digest: Buffer.from(fresh, 'hex'), principal }
    }
    return timingSafeEqual(compat.digest, Buffer.from(digest, 'hex')) ? compat.principal : undefined
  }

  const lookUp = (digest: string) => lookups.run(digest, () => readKey(digest))

  async function readKey(digest: string): Promise<CachedKey | undefined> {
    const begun = generation
    const stored = await options.find(Buffer.from(digest, 'hex'))
    const found = stored && isUsable(stored) ? knownOf(stored, digest) : undefined
    if (begun === generation && options.isListening()) {
      if (found) known.set(digest, found)
      else unknownUntil.set(digest, clock.elapsed() + unknownForMs)
    }
    return found
  }

  function refuse(address: string): ApiError {
    guesses.failed(address)
    return invalid
  }

  async function find(digest: string, address: string): Promise<Principal | ApiError> {
    const found = await lookUp(digest)
    return found ? admit(found, () => address) : refuse(address)
  }

  function admit(found: CachedKey, clientIp: () => string): Principal | ApiError {
    const { principal, isAllowedFrom } = found
    if (isExpired(principal, clock)) return refuse(clientIp())
    if (isAllowedFrom && !isAllowedFrom(clientIp())) return strangeAddress
    if (principal.keyId && clock.elapsed() - found.notedMs >= notedEveryMs) {
      found.notedMs = clock.elapsed()
      options.onUse(principal.keyId)
    }
    return principal
  }

  return {
    authenticate(bearer, clientIp) {
      const digest = keyDigest(bearer)
      const isListening = options.isListening()
      const remembered = isListening ? known.get(digest) : undefined
      if (remembered) return admit(remembered, clientIp)
      const fixed = compatPrincipal(digest)
      if (fixed) return fixed
      const address = clientIp()
      const waitMs = guesses.retryAfterMs(address)
      if (waitMs > 0) return tooManyGuesses(waitMs)
      if (!isKeyText(bearer)) return refuse(address)
      if (isListening && (unknownUntil.get(digest) ?? 0) > clock.elapsed()) return refuse(address)
      if (lookups.size >= lookupsMax) return overloaded('Too many credentials are being looked up; try again.')
      return find(digest, address)
    },
    async currentPrincipal(digest) {
      const remembered = options.isListening() ? known.get(digest)?.principal : undefined
      const principal = remembered ?? compatPrincipal(digest) ?? (await lookUp(digest))?.principal
      return principal && !isExpired(principal, clock) ? principal : undefined
    },
    forget,
    close: stopListening,
  }
}

function isExpired(principal: Principal, clock: Clock): boolean {
  return principal.expiresAtMs !== null && principal.expiresAtMs <= clock.now()
}

/** A personal key is worth what its owner is: nothing once they are disabled, or hold no role with such keys. */
function isUsable({ revokedAt, owner }: StoredKey): boolean {
  if (revokedAt !== null) return false
  return owner === null || (!owner.isDisabled && owner.role !== null && roleMay(owner.role, 'keys.own'))
}

function knownOf(stored: StoredKey, digest: string): CachedKey {
  const { allowedIps } = stored
  const principal: Principal = {
    kind: stored.kind,
    keyId: stored.id,
    workspaceId: stored.workspaceId,
    scopes: new Set(stored.scopes),
    rateLimitRpm: stored.rateLimitRpm,
    expiresAtMs: stored.expiresAt?.getTime() ?? null,
    allowedIps,
  }
  const isAllowedFrom = allowedIps.length === 0 ? undefined : addressTest(allowedIps)
  bindCredential({ kind: 'key', digest }, principal)
  return { principal, isAllowedFrom, notedMs: Number.NEGATIVE_INFINITY }
}

function compatible(workspaceId: WorkspaceId): Principal {
  return { kind: 'compat', keyId: null, workspaceId, scopes: new Set(['chat']), rateLimitRpm: null, expiresAtMs: null }
}
