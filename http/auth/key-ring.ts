/**
 * Whose a bearer credential is. Valid keys are cached, and the cache is used only while changes of keys are received.
 * Unknown keys are cached for a few seconds in a separate cache, so that garbage cannot push out valid keys.
 */

import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TokenRate } from '../../actors/usage/token-rates.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { oncePerKey } from '../../runtime/time/once-per-key.ts'
import { type OperatorId, uuidOf, type WorkspaceId } from '../../store/id.ts'
import { ownerId } from '../../store/owner-id.ts'
import type { Scope } from '../../store/scopes.ts'
import type { KeyRate, Principal } from '../access.ts'
import { type AddressTest, addressTest } from '../edge/client-ip.ts'
import { ApiError, overloaded, unauthorized } from '../error.ts'
import { bindCredential } from './credential.ts'
import { credentialGuesses, type GuessNodes, tooManyGuesses } from './credential-guesses.ts'
import { isKeyText, keyDigest } from './key-text.ts'
import { type Role, roleMay } from './permissions.ts'

/** A stored key, as the store gives it. */
export interface StoredKey {
  id: NonNullable<Principal['keyId']>
  workspaceId: WorkspaceId
  scopes: readonly Scope[]
  rateLimitRpm: number | null
  /** Tokens. */
  rateLimitTpm?: number | null
  /** On whose rate its requests count; absent: its own. */
  rateId?: NonNullable<Principal['keyId']>
  expiresAt: Date | null
  revokedAt: Date | null
  kind: 'service' | 'personal'
  /** Of a personal key. */
  operatorId: OperatorId | null
  /** Networks it may be used from; empty: any. */
  allowedIps: readonly string[]
  /** Of the keys that it was made with. */
  sharedRates?: readonly KeyRate[]
  sharedTokenRates?: readonly TokenRate[]
  /** Of a personal key: the present state of its owner. */
  owner: { isDisabled: boolean; role: Role | null } | null
}

export interface KeyRingOptions {
  clock: Clock
  /** Where guesses are counted. Absent: there are no other nodes. */
  nodes?: GuessNodes | undefined
  /** One query. @param hash SHA-256 of the key's text, 32 bytes */
  find(hash: Buffer): Promise<StoredKey | null | undefined>
  /** Calls `fire` after any key changed, and after a time in which changes could not be received. Returns how to stop. */
  onChange(fire: () => void): () => void
  /** Whether changes are received now; while not, the cache is not used. */
  isListening(): boolean
  /** SERVICE_COMPAT_KEY; empty when unset. Read at every use. */
  compatKey(): string
  compatWorkspace(): WorkspaceId
  /** Called at most once a minute for a key in use. Must not block. */
  onUse(id: StoredKey['id']): void
}

export interface KeyRing {
  /**
   * The caller, or the error for it. Synchronous when the credential is cached, else after one query.
   * @param clientIp called only when the credential is unknown (guessing is bounded per address) or limited to addresses
   */
  authenticate(bearer: string, clientIp: () => string): Principal | ApiError | Promise<Principal | ApiError>
  /** Whose key it is now; counts neither as a use nor as a guess. Undefined: it has ended. @param digest of its text */
  currentPrincipal(digest: string): Promise<Principal | undefined>
  /** Clears the caches, after this process has changed a key. */
  forget(): void
  /** Resolves when all uses of keys are written. */
  close(): void | Promise<void>
}

interface CachedKey {
  readonly principal: Principal
  /** Undefined: any address. */
  readonly isAllowedFrom: AddressTest | undefined
  recordedMs: number
}

const cachedMax = 10_000
const recordEveryMs = 60_000
const unknownMax = 1_000
const unknownForMs = 5_000
const lookupsMax = 256

const invalid = unauthorized('The API key is unknown, revoked or expired.')
const addressRefused = new ApiError('ip_not_allowed', 'This key cannot be used from this address.')

export function keyRing(options: KeyRingOptions): KeyRing {
  const { clock } = options
  const cachedKeys = new LRUCache<string, CachedKey>({ max: cachedMax })
  const unknownUntil = new LRUCache<string, number>({ max: unknownMax })
  const lookups = oncePerKey<string, CachedKey | undefined>()
  const guesses = credentialGuesses(clock, 'key', options.nodes)
  /** Digests of keys that were good: what somebody guesses at their address does not hold them up. */
  const provenDigests = new LRUCache<string, true>({ max: cachedMax })
  let compat: { text: string; digest: Buffer; principal: Principal } | undefined
  /** Raised with every change, so that a lookup that began before a change is not cached after it. */
  let generation = 0

  function forget(): void {
    generation++
    cachedKeys.clear()
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
    const found = stored && isUsable(stored) ? cachedKeyOf(stored, digest) : undefined
    if (found) provenDigests.set(digest, true)
    else provenDigests.delete(digest)
    if (begun === generation && options.isListening()) {
      if (found) cachedKeys.set(digest, found)
      else unknownUntil.set(digest, clock.elapsed() + unknownForMs)
    }
    return found
  }

  function refuse(address: string): ApiError | Promise<ApiError> {
    const refusal = (waitMs: number) => (waitMs > 0 ? tooManyGuesses(waitMs) : invalid)
    const waitMs = guesses.failed(address)
    return typeof waitMs === 'number' ? refusal(waitMs) : waitMs.then(refusal)
  }

  async function find(digest: string, address: string): Promise<Principal | ApiError> {
    const found = await lookUp(digest)
    return found ? admit(found, () => address) : refuse(address)
  }

  function admit(found: CachedKey, clientIp: () => string): Principal | ApiError | Promise<ApiError> {
    const { principal, isAllowedFrom } = found
    if (isExpired(principal, clock)) return refuse(clientIp())
    if (isAllowedFrom && !isAllowedFrom(clientIp())) return addressRefused
    if (principal.keyId && clock.elapsed() - found.recordedMs >= recordEveryMs) {
      found.recordedMs = clock.elapsed()
      options.onUse(principal.keyId)
    }
    return principal
  }

  return {
    authenticate(bearer, clientIp) {
      const digest = keyDigest(bearer)
      const isListening = options.isListening()
      const cached = isListening ? cachedKeys.get(digest) : undefined
      if (cached) return admit(cached, clientIp)
      const fixed = compatPrincipal(digest)
      if (fixed) return fixed
      const address = clientIp()
      if (!isKeyText(bearer)) return refuse(address)
      if (!provenDigests.has(digest)) {
        const waitMs = guesses.lookupAfterMs(address)
        if (waitMs > 0) return tooManyGuesses(waitMs)
      }
      if (isListening && (unknownUntil.get(digest) ?? 0) > clock.elapsed()) return refuse(address)
      if (lookups.size >= lookupsMax) return overloaded('Too many credentials are being looked up; try again.')
      return find(digest, address)
    },
    async currentPrincipal(digest) {
      const cached = options.isListening() ? cachedKeys.get(digest)?.principal : undefined
      const principal = cached ?? compatPrincipal(digest) ?? (await lookUp(digest))?.principal
      return principal && !isExpired(principal, clock) ? principal : undefined
    },
    forget,
    close: stopListening,
  }
}

function isExpired(principal: Principal, clock: Clock): boolean {
  return principal.expiresAtMs !== null && principal.expiresAtMs <= clock.now()
}

/** A personal key works only while its owner is enabled and has a role that permits personal keys. */
function isUsable({ revokedAt, owner }: StoredKey): boolean {
  if (revokedAt !== null) return false
  return owner === null || (!owner.isDisabled && owner.role !== null && roleMay(owner.role, 'keys.own'))
}

function cachedKeyOf(stored: StoredKey, digest: string): CachedKey {
  const {
    allowedIps,
    sharedRates = [],
    sharedTokenRates = [],
    operatorId,
    rateId = stored.id,
    rateLimitTpm = null,
  } = stored
  const ownTokens = rateLimitTpm === null ? [] : [{ key: rateId, tokensPerMinute: rateLimitTpm }]
  const tokenRates = [...ownTokens, ...sharedTokenRates]
  const principal: Principal = {
    kind: stored.kind,
    keyId: stored.id,
    rateKeyId: rateId,
    workspaceId: stored.workspaceId,
    owner: operatorId ? ownerId('operator', uuidOf(operatorId)) : ownerId('key', uuidOf(stored.id)),
    scopes: new Set(stored.scopes),
    rateLimitRpm: stored.rateLimitRpm,
    expiresAtMs: stored.expiresAt?.getTime() ?? null,
    allowedIps,
    ...(sharedRates.length > 0 && { sharedRates }),
    rateLimitTpm,
    ...(tokenRates.length > 0 && { tokenRates }),
  }
  const isAllowedFrom = allowedIps.length === 0 ? undefined : addressTest(allowedIps)
  bindCredential({ kind: 'key', digest }, principal)
  return { principal, isAllowedFrom, recordedMs: Number.NEGATIVE_INFINITY }
}

function compatible(workspaceId: WorkspaceId): Principal {
  return {
    kind: 'compat',
    keyId: null,
    workspaceId,
    owner: ownerId('key', 'compat'),
    scopes: new Set(['chat']),
    rateLimitRpm: null,
    expiresAtMs: null,
  }
}
