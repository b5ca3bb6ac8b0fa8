/** Credentials: known ones cost nothing, revoked ones stop at once, garbage is bounded. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../../http/access.ts'
import { type KeyRing, type KeyRingOptions, keyRing, type StoredKey } from '../../../http/auth/key-ring.ts'
import { keyDigest, newKeyText } from '../../../http/auth/key-text.ts'
import { ApiError } from '../../../http/error.ts'
import { firstWorkspaceId, newApiKeyId, newWorkspaceId } from '../../../store/id.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

let clock: VirtualClock
let stored: Map<string, StoredKey>
let queries: number
let used: string[]
let isListening: boolean
let changed: () => void
let gate: Promise<void> | undefined
let compat: string
let ring: KeyRing

const options = (): KeyRingOptions => ({
  clock,
  async find(hash) {
    queries++
    const found = stored.get(hash.toString('hex'))
    await gate
    return found
  },
  onChange(fire) {
    changed = fire
    return () => {}
  },
  isListening: () => isListening,
  compatKey: () => compat,
  compatWorkspace: () => firstWorkspaceId,
  onUse: (id) => used.push(id),
})

beforeEach(() => {
  clock = virtualClock()
  stored = new Map()
  queries = 0
  used = []
  isListening = true
  gate = undefined
  compat = ''
  ring = keyRing(options())
})

function store(change: Partial<StoredKey> = {}): string {
  const text = newKeyText()
  stored.set(keyDigest(text), {
    id: newApiKeyId(),
    workspaceId: newWorkspaceId(),
    scopes: ['chat'],
    rateLimitRpm: null,
    expiresAt: null,
    revokedAt: null,
    kind: 'service',
    operatorId: null,
    allowedIps: [],
    owner: null,
    ...change,
  })
  return text
}

const ask = async (bearer: string, ip = '203.0.113.5'): Promise<Principal | ApiError> =>
  ring.authenticate(bearer, () => ip)
const status = async (bearer: string, ip?: string): Promise<number> => {
  const found = await ask(bearer, ip)
  return found instanceof ApiError ? found.status : 200
}

describe('a known key', () => {
  it('is looked up once, and found at once from then on', async () => {
    const text = store()
    expect(await status(text)).toBe(200)
    expect(ring.authenticate(text, () => '')).not.toBeInstanceOf(Promise)
    expect(queries).toBe(1)
  })

  it('asked for by many at the same time is one query', async () => {
    const text = store()
    expect(await Promise.all(Array.from({ length: 50 }, () => status(text)))).toEqual(Array(50).fill(200))
    expect(queries).toBe(1)
  })

  it('that was revoked stops with the change', async () => {
    const text = store()
    expect(await status(text)).toBe(200)
    const key = stored.get(keyDigest(text))
    if (key) key.revokedAt = new Date(clock.now())
    changed()
    expect(await status(text)).toBe(401)
  })

  it('that was revoked while it was being looked up is not remembered as good', async () => {
    const text = store()
    let open: () => void = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    const early = ask(text)
    stored.delete(keyDigest(text))
    changed()
    open()
    await early
    gate = undefined
    expect(await status(text)).toBe(401)
  })

  it('is looked up at every use while changes cannot be heard', async () => {
    const text = store()
    await status(text)
    isListening = false
    stored.delete(keyDigest(text))
    expect(await status(text)).toBe(401)
    expect(queries).toBe(2)
  })

  it('expires at its time, also when it is remembered', async () => {
    const text = store({ expiresAt: new Date(clock.now() + 60_000) })
    expect(await status(text)).toBe(200)
    await clock.advance(59_999)
    expect(await status(text)).toBe(200)
    await clock.advance(1)
    expect(await status(text)).toBe(401)
    expect(queries).toBe(1)
  })
})

describe('a key bound to addresses', () => {
  it('is 403 from any other, remembered or not, and goes on from its own', async () => {
    const text = store({ allowedIps: ['198.51.100.0/24', '2001:db8::1'] })
    for (const _ of ['looked up', 'remembered']) {
      expect(await ask(text, '203.0.113.5')).toMatchObject({ status: 403, code: 'ip_not_allowed' })
      expect(await status(text, '198.51.100.200')).toBe(200)
      expect(await status(text, '2001:db8::1')).toBe(200)
    }
    expect(queries).toBe(1)
  })

  it('says nothing of itself where it has expired', async () => {
    const text = store({ allowedIps: ['198.51.100.1'], expiresAt: new Date(clock.now()) })
    expect(await status(text)).toBe(401)
  })

  it('is not used by being refused', async () => {
    await status(store({ allowedIps: ['198.51.100.1'] }))
    expect(used).toEqual([])
  })
})

describe('a personal key', () => {
  it('is worth what its owner is', async () => {
    for (const role of ['owner', 'admin', 'operator', 'user'] as const)
      expect(await status(store({ owner: { isDisabled: false, role } })), role).toBe(200)
    expect(await status(store({ owner: { isDisabled: true, role: 'owner' } }))).toBe(401)
    expect(await status(store({ owner: { isDisabled: false, role: null } }))).toBe(401)
    expect(await status(store({ owner: { isDisabled: false, role: 'auditor' } }))).toBe(401)
  })
})

it('the use of a key is told once a minute', async () => {
  const text = store()
  for (let second = 0; second < 119; second++) {
    await status(text)
    await clock.advance(1_000)
  }
  expect(used).toHaveLength(2)
})

describe('an unknown key', () => {
  it('is asked for once in five seconds, and works as soon as it is made', async () => {
    const text = newKeyText()
    expect(await status(text)).toBe(401)
    expect(await status(text)).toBe(401)
    expect(queries).toBe(1)
    await clock.advance(5_001)
    expect(await status(text)).toBe(401)
    expect(queries).toBe(2)
    stored.set(keyDigest(text), { ...stored.values().next().value, ...(await made()) })
    changed()
    expect(await status(text)).toBe(200)
  })

  async function made(): Promise<StoredKey> {
    store()
    const first = stored.values().next().value
    if (!first) throw new Error('nothing was stored')
    return first
  }

  it('that has not the form of a key costs no query', async () => {
    for (const text of ['x', 'sk-', 'sk-short', `sk-${'a'.repeat(201)}`, "sk-'; drop table api_keys; --aaaaaa"]) {
      expect(await status(text)).toBe(401)
    }
    expect(queries).toBe(0)
  })

  it('after many of its kind from one address is refused with 429, others go on, and a known key is not touched', async () => {
    const good = store()
    expect(await status(good)).toBe(200)
    const answers: number[] = []
    for (let guess = 0; guess < 50; guess++) answers.push(await status(newKeyText()))
    expect(answers.slice(0, 20)).toEqual(Array(20).fill(401))
    expect(answers.slice(21)).toEqual(Array(29).fill(429))
    expect(await status(good)).toBe(200)
    expect(await status(newKeyText(), '198.51.100.7')).toBe(401)
    const refused = await ask(newKeyText())
    expect(refused).toMatchObject({ code: 'too_many_failed_credentials', headers: { 'retry-after': '1' } })
    await clock.advance(1_000)
    expect(await status(newKeyText())).toBe(401)
  })

  it('in any number costs a bounded number of queries', async () => {
    for (let guess = 0; guess < 500; guess++) await status(newKeyText())
    expect(queries).toBeLessThan(125)
  })

  it('does not hold up the good keys of its address: not at their first use, and not after a change', async () => {
    const used = store()
    expect(await status(used)).toBe(200)
    for (let guess = 0; guess < 30; guess++) await status(newKeyText())
    expect(await status(newKeyText())).toBe(429)
    expect(await status(store())).toBe(200)

    for (let guess = 0; guess < 200; guess++) await status(newKeyText())
    ring.forget()
    expect(await status(used)).toBe(200)
  })

  it('in any number does not push out a good one', async () => {
    const good = store()
    await status(good)
    for (let guess = 0; guess < 3_000; guess++) await status(newKeyText(), `10.${guess >> 8}.${guess & 255}.1`)
    const before = queries
    expect(await status(good)).toBe(200)
    expect(queries).toBe(before)
  })

  it('finds a bounded number of queries under way', async () => {
    let open: () => void = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    const waiting = Array.from({ length: 300 }, (_, guess) => status(newKeyText(), `10.0.${guess >> 8}.${guess & 255}`))
    open()
    const answers = await Promise.all(waiting)
    expect(answers.filter((code) => code === 503)).toHaveLength(300 - 256)
  })
})

describe('SERVICE_COMPAT_KEY', () => {
  it('is the scope chat of its workspace, without a query, and any text will do', async () => {
    compat = 'my own words'
    expect(await ask('my own words')).toMatchObject({ kind: 'compat', keyId: null, workspaceId: firstWorkspaceId })
    expect(queries).toBe(0)
    expect(await status('my own word')).toBe(401)
  })
  it('unset admits nobody', async () => {
    expect(await status('')).toBe(401)
  })
  it('changed admits the new one only', async () => {
    compat = 'first'
    expect(await status('first')).toBe(200)
    compat = 'second'
    expect(await status('first')).toBe(401)
    expect(await status('second')).toBe(200)
  })
})

it('a query that fails is passed on, and not remembered', async () => {
  const text = store()
  const failing = keyRing({ ...options(), find: () => Promise.reject(new Error('no database')) })
  await expect(failing.authenticate(text, () => '')).rejects.toThrowError('no database')
  expect(await status(text)).toBe(200)
})
