/** The judge as tenants meet it: a table of destinations, and nothing is sent. The connector fails the test when it connects. */
import { describe, expect, it } from 'vitest'
import { allowlist } from '../../../runtime/network/allowlist.ts'
import { type HostAndPort, judgeHost, OutgoingRefused, type OutgoingRules } from '../../../runtime/network/judge.ts'
import { outgoingWith } from '../../support/outgoing.ts'
import { recordingLog } from '../../support/recording-log.ts'

const names: Record<string, string[]> = {
  'public.example.com': ['192.0.2.1'],
  'inside.example.com': ['10.1.2.3'],
  'mixed.example.com': ['192.0.2.1', '10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
  'empty.example.com': [],
  localhost: ['127.0.0.1', '::1'],
}
const asked: string[] = []
const options = {
  async resolve(host: string) {
    asked.push(host)
    const addresses = names[host]
    if (!addresses) throw new Error('nobody knows it')
    return addresses
  },
  // The networks for documentation stand for public ones.
  judge: (address: string) =>
    address.startsWith('192.0.2.')
      ? ('public' as const)
      : /^(10\.|127\.|fd|::1$)/.test(address)
        ? ('private' as const)
        : ('never' as const),
}

async function verdict(host: string, allow: string[] = [], more: { port?: number; isAirgapped?: boolean } = {}) {
  const { port = 443, isAirgapped = false } = more
  return await outgoingWith({ allow, isAirgapped }, options)
    .judged({ host, port }, AbortSignal.timeout(5_000))
    .then(
      ({ addresses }) => addresses[0],
      (error: unknown) => (error instanceof OutgoingRefused ? error.code : String(error)),
    )
}

it.each([
  ['public.example.com', '192.0.2.1'],
  ['PUBLIC.example.com', '192.0.2.1'],
  ['inside.example.com', 'refused_address'],
  ['mixed.example.com', 'refused_address'],
  ['metadata.example.com', 'refused_address'],
  ['empty.example.com', 'name_not_found'],
  ['nobody.example.com', 'name_not_found'],
  ['localhost', 'refused_address'],
  ['intranet', 'refused_address'],
  ['10.1.2.3', 'refused_address'],
  ['127.0.0.1', 'refused_address'],
  ['::1', 'refused_address'],
  ['::ffff:127.0.0.1', 'refused_address'],
  ['169.254.169.254', 'refused_address'],
  ['0.0.0.0', 'refused_address'],
])('without a list %s is %s', async (host, expected) => {
  expect(await verdict(host)).toBe(expected)
})

it.each([
  ['inside.example.com', ['inside.example.com'], {}, '10.1.2.3'],
  ['inside.example.com', ['inside.example.com:443'], {}, '10.1.2.3'],
  ['inside.example.com', ['inside.example.com:8443'], {}, 'refused_address'],
  ['inside.example.com', ['*.example.com'], {}, 'refused_address'],
  ['inside.example.com', ['10.1.0.0/16'], {}, '10.1.2.3'],
  ['inside.example.com', ['10.2.0.0/16'], {}, 'refused_address'],
  ['mixed.example.com', ['10.0.0.0/8'], {}, '192.0.2.1'],
  ['metadata.example.com', ['metadata.example.com', '0.0.0.0/0'], {}, 'refused_address'],
  ['169.254.169.254', ['169.254.169.254', '169.254.0.0/16'], {}, 'refused_address'],
  ['localhost', ['localhost'], {}, '127.0.0.1'],
  ['localhost', ['127.0.0.0/8'], {}, 'refused_address'],
  ['localhost', ['127.0.0.0/8', '::1/128'], {}, '127.0.0.1'],
  ['fd00::7', ['fd00::/8'], {}, 'fd00::7'],
  ['10.1.2.3', ['10.1.2.3:25'], { port: 25 }, '10.1.2.3'],
  ['public.example.com', ['inside.example.com'], {}, '192.0.2.1'],
  ['public.example.com', [], { isAirgapped: true }, 'refused_host'],
  ['public.example.com', ['public.example.com'], { isAirgapped: true }, '192.0.2.1'],
  ['10.1.2.3', ['10.0.0.0/8'], { isAirgapped: true }, '10.1.2.3'],
  ['inside.example.com', ['10.0.0.0/8'], { isAirgapped: true }, 'refused_host'],
])('%s with the list %j %j is %s', async (host, allow, more, expected) => {
  expect(await verdict(host, allow, more)).toBe(expected)
})

it('looks no name up that the air gap refuses', async () => {
  asked.length = 0
  await verdict('secret-in-a-name.example.com', [], { isAirgapped: true })
  expect(asked).toEqual([])
})

it('judges at each connect: a refused host is no connection', async () => {
  const { connector } = outgoingWith({ allow: [] }, options)
  for (const hostname of ['127.0.0.1', '[::1]', 'inside.example.com']) {
    const error = await new Promise<unknown>((resolve) => {
      connector({ hostname, protocol: 'http:', port: '1' }, (failure, socket) => resolve(socket ?? failure))
    })
    expect(error, hostname).toBeInstanceOf(OutgoingRefused)
  }
})

it('says the same of a name that leads inside as of one that nobody knows', async () => {
  const { log, lines } = recordingLog()
  const outgoing = outgoingWith({ allow: ['127.0.0.1'] }, { ...options, log })
  const words = (host: string) =>
    outgoing.judged({ host, port: 443 }, AbortSignal.timeout(5_000)).then(
      () => 'reached',
      (error: Error) => error.message.replaceAll(host, 'HOST'),
    )
  const unknown = await words('nobody.example.com')
  expect(unknown).toContain('SERVICE_OUTGOING_ALLOWLIST')
  for (const host of [
    'inside.example.com',
    'mixed.example.com',
    'metadata.example.com',
    'empty.example.com',
    'localhost',
  ])
    expect(await words(host), host).toBe(unknown)
  expect(lines.map(({ host, code }) => [host, code])).toContainEqual(['inside.example.com', 'refused_address'])
})

it('says nothing of what is at an internal address, except in the log', async () => {
  const { log, lines } = recordingLog()
  const outgoing = outgoingWith({ allow: ['localhost'] }, { ...options, log })
  const system = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  })
  const inside = outgoing.failure({ host: 'localhost', port: 1, isInternal: true }, system)
  expect(inside).toMatchObject({ code: 'unreachable', message: 'localhost cannot be reached.' })
  expect(JSON.stringify(lines)).toContain('connect ECONNREFUSED 127.0.0.1:1')
  expect(outgoing.failure({ host: 'public.example.com', port: 1, isInternal: false }, system)).toBe(system)
})

describe('a host that a setting of the owner names', () => {
  const ownersHost = { host: 'inside.example.com', port: 8443 }

  async function judged(target: HostAndPort, more: Partial<OutgoingRules> = {}): Promise<unknown> {
    const rules = { allow: allowlist([]), isOnlyListed: false, ownersHost, ...options, ...more }
    return await judgeHost(target, rules, AbortSignal.timeout(5_000)).then(
      ({ addresses }) => addresses[0],
      (error: unknown) => (error instanceof OutgoingRefused ? error.code : String(error)),
    )
  }

  it('may be internal, by its exact host and port, also under the air gap', async () => {
    for (const isOnlyListed of [false, true]) expect(await judged(ownersHost, { isOnlyListed })).toBe('10.1.2.3')
    expect(await judged({ ...ownersHost, port: 443 })).toBe('refused_address')
    expect(await judged({ ...ownersHost, host: 'mixed.example.com' })).toBe('refused_address')
    expect(await judged({ ...ownersHost, host: '10.1.2.3' })).toBe('refused_address')
  })

  it.each(['169.254.169.254', 'metadata.example.com', 'metadata.google.internal', '0.0.0.0'])(
    'is refused where nothing allows it: %s',
    async (host) => {
      const own = { ownersHost: { host, port: 80 } }
      expect(await judged({ host, port: 80 }, own)).toBe('refused_address')
      expect(await judged({ host, port: 80 }, { ...own, isOnlyListed: true })).toBe('refused_address')
    },
  )

  it('is public under the air gap only if it is on the list', async () => {
    const host = 'public.example.com'
    const own = { ownersHost: { host, port: 443 }, isOnlyListed: true }
    expect(await judged({ host, port: 443 }, own)).toBe('refused_host')
    expect(await judged({ host, port: 443 }, { ...own, isOnlyListed: false })).toBe('192.0.2.1')
    expect(await judged({ host, port: 443 }, { ...own, allow: allowlist([host]) })).toBe('192.0.2.1')
  })

  it('opens no other host: the target of a redirect is judged as one of a tenant', async () => {
    const connect = outgoingWith({ allow: [] }, options).connectorFor(new URL('http://inside.example.com:8443/mcp'))
    for (const [hostname, port] of [
      ['inside.example.com', '1'],
      ['localhost', '8443'],
      ['10.1.2.3', '8443'],
    ] as const) {
      const error = await new Promise<unknown>((resolve) => {
        connect({ hostname, protocol: 'http:', port }, (failure, socket) => resolve(socket ?? failure))
      })
      expect(error, hostname).toBeInstanceOf(OutgoingRefused)
    }
  })
})
