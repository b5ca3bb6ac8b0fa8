/** CORS, HTTPS only, CSP: what browsers and proxies see. */
import { afterEach, describe, expect, it } from 'vitest'
import { open } from '../../../http/access.ts'
import { addressTest } from '../../../http/edge/client-ip.ts'
import { securityHeaders } from '../../../http/edge/policy.ts'
import { route } from '../../../http/route.ts'
import { get, rawClient } from '../support/raw-client.ts'
import { type TestGateway, type TestGatewayOptions, testGateway } from '../support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const routes = [
  route({ ...face, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({ ...face, method: 'POST', path: '/ok', handle: () => ({ ok: true }) }),
]

let test: TestGateway | undefined
async function start(policy: TestGatewayOptions['policy'] = {}): Promise<TestGateway> {
  test = await testGateway(routes, { policy })
  return test
}
afterEach(async () => {
  await test?.stop()
})

describe('CORS', () => {
  const origins = new Set(['https://app.example.com'])

  it('without listed origins, no page of another origin may read an answer', async () => {
    const { url } = await start()
    const answer = await fetch(`${url}/ok`, { headers: { origin: 'https://app.example.com' } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('a listed origin may, with credentials, errors included', async () => {
    const { url } = await start({ origins })
    for (const path of ['/ok', '/nowhere']) {
      const answer = await fetch(`${url}${path}`, { headers: { origin: 'https://app.example.com' } })
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
      expect(answer.headers.get('vary')).toBe('Origin')
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id')
    }
  })

  it('another may not, and caches are told that the answer depends on the origin', async () => {
    const { url } = await start({ origins })
    for (const origin of ['https://evil.example.com', 'https://app.example.com.evil.example', 'null']) {
      const answer = await fetch(`${url}/ok`, { headers: { origin } })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      expect(answer.headers.get('vary')).toBe('Origin')
    }
  })

  it('the admin UI beside may, but over HTTPS no page that came without it; and null is nobody', async () => {
    const { url } = await start({ origins: new Set(['null']), uiPort: 4_000, isTrustedProxy: () => true })
    const credentialed = async (origin: string, proto: string) => {
      const headers = { origin, 'x-forwarded-proto': proto }
      return (await fetch(`${url}/ok`, { headers })).headers.get('access-control-allow-credentials') === 'true'
    }
    expect(await credentialed('http://127.0.0.1:4000', 'http')).toBe(true)
    expect(await credentialed('https://127.0.0.1:4000', 'https')).toBe(true)
    expect(await credentialed('http://127.0.0.1:4000', 'https')).toBe(false)
    expect(await credentialed('http://127.0.0.1:4001', 'http')).toBe(false)
    expect(await credentialed('null', 'http')).toBe(false)
  })

  it('the admin UI beside is believed under names of ours only: anybody can let a name of theirs lead here', async () => {
    const { port } = await start({ uiPort: 4_000, ownNames: new Set(['agent.example.com']) })
    const credentialed = async (name: string) => {
      const client = await rawClient(
        port,
        `GET /ok HTTP/1.1\r\nHost: ${name}:8780\r\nOrigin: http://${name}:4000\r\nConnection: close\r\n\r\n`,
      )
      return (await client.untilClosed()).includes('access-control-allow-credentials: true')
    }
    for (const name of ['agent.example.com', 'Agent.Example.com', 'localhost', 'ui.localhost', '10.1.2.3', '[::1]'])
      expect(await credentialed(name), name).toBe(true)
    for (const name of [
      'evil.example',
      'agent.example.com.evil.example',
      'localhost.evil.example',
      '10.1.2.3.evil.example',
    ])
      expect(await credentialed(name), name).toBe(false)
  })

  it('* lets every origin read, but sends no credentials along', async () => {
    const { url } = await start({ origins: new Set(['*']) })
    const answer = await fetch(`${url}/ok`, { headers: { origin: 'https://any.example' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('a preflight says which methods and headers may be sent', async () => {
    const { port } = await start({ origins })
    const asked = (origin: string, headers: string) =>
      get(
        '/ok',
        `Origin: ${origin}\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: ${headers}\r\n`,
      )
        .replace('GET', 'OPTIONS')
        .replace('Host', 'Connection: close\r\nHost')
    const allowed = await rawClient(port, asked('https://app.example.com', 'authorization, x-stainless-os'))
    const text = await allowed.untilClosed()
    expect(text).toMatch(/^HTTP\/1\.1 204 /)
    expect(text).toContain('access-control-allow-methods: GET, POST, HEAD, OPTIONS')
    expect(text).toContain('access-control-allow-headers: authorization, x-stainless-os')
    expect(text).toContain('access-control-max-age: 600')
    const refused = await rawClient(port, asked('https://evil.example.com', 'authorization'))
    expect(await refused.untilClosed()).not.toContain('access-control')
    const odd = await rawClient(port, asked('https://app.example.com', 'bad header; x'))
    expect(await odd.untilClosed()).not.toContain('access-control-allow-headers')
  })
})

describe('HTTPS only', () => {
  const viaProxy = { isSecureRequired: true, isTrustedProxy: addressTest(['127.0.0.1']) }
  const outside = 'X-Forwarded-For: 203.0.113.5\r\n'

  it('lets localhost pass', async () => {
    const { url } = await start({ isSecureRequired: true })
    expect((await fetch(`${url}/ok`)).status).toBe(200)
  })

  it('sends GET and HEAD to HTTPS, path and query kept', async () => {
    const { port } = await start(viaProxy)
    const client = await rawClient(port, get('/ok?a=1&b=2', outside))
    const text = await client.untilText('\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 308 /)
    expect(text).toContain('location: https://example.com/ok?a=1&b=2\r\n')
    client.destroy()
  })

  it('sends them to the public address where that is known', async () => {
    const { port } = await start({ ...viaProxy, publicOrigin: 'https://agent.example.com' })
    const client = await rawClient(port, get('/ok', outside))
    expect(await client.untilText('\r\n\r\n')).toContain('location: https://agent.example.com/ok\r\n')
    client.destroy()
  })

  it('refuses what a redirect would repeat, and a Host that is none', async () => {
    const { port } = await start(viaProxy)
    const posted = await rawClient(port, get('/ok', outside).replace('GET', 'POST'))
    expect(await posted.untilText('https_required')).toMatch(/^HTTP\/1\.1 403 /)
    const odd = await rawClient(port, `GET /ok HTTP/1.1\r\nHost: evil.example/x?\r\n${outside}\r\n`)
    expect(await odd.untilText('https_required')).toMatch(/^HTTP\/1\.1 403 /)
    posted.destroy()
    odd.destroy()
  })

  it('believes X-Forwarded-Proto of a trusted proxy', async () => {
    const { port } = await start(viaProxy)
    const client = await rawClient(port, get('/ok', `${outside}X-Forwarded-Proto: https\r\n`))
    expect(await client.untilText('{"ok":true}')).toMatch(/^HTTP\/1\.1 200 /)
    client.destroy()
  })

  it('and of nobody else', async () => {
    const { port } = await start({ isSecureRequired: true, isTrustedProxy: (ip) => ip === '10.9.9.9' })
    const client = await rawClient(port, get('/ok', `${outside}X-Forwarded-Proto: https\r\n`))
    // The peer is localhost and not a proxy: it passes for that reason, not for its header.
    await client.untilText('{"ok":true}')
    client.destroy()
  })
})

it('SERVICE_CSP replaces the policy of every answer', async () => {
  const { url } = await start({ securityHeaders: securityHeaders("default-src 'self'") })
  expect((await fetch(`${url}/ok`)).headers.get('content-security-policy')).toBe("default-src 'self'")
})
