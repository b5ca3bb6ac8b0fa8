/** The listener of the admin UI: what it serves, in which packing, under which Content-Security-Policy. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSettings } from '../../config/settings.ts'
import { openUi, type UiServer } from '../../http/ui/server.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { recordingLog } from '../support/recording-log.ts'

let folder: string
const servers: UiServer[] = []
const script = 'console.log(1)\n'.repeat(200)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ui-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<meta content="__CSP_NONCE__"><meta content="__API_BASE__">')
  writeFileSync(join(folder, 'boot.js'), '1')
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'assets/main-1.js'), script)
  writeFileSync(join(folder, 'assets/main-1.js.gz'), gzipSync(script))
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close(0)))
  rmSync(folder, { recursive: true })
})

function served(environment: Record<string, string> = {}, from = folder): UiServer {
  const settings = openSettings({
    environment: { SERVICE_WEBUI_ADDR: '127.0.0.1:0', ...environment },
    stored: new Map(),
  })
  const server = openUi({
    settings,
    clock: systemClock,
    log: recordingLog().log,
    gatewayPort: () => 8_780,
    folder: from,
  })
  if (!server) throw new Error('there is no server')
  servers.push(server)
  return server
}

interface Got {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Not fetch: it sets Host itself, and unpacks. */
function get(server: UiServer, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, headers, method }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })
}

describe('the page', () => {
  it('is every path that is no file, never kept, with a nonce of its own each time', async () => {
    const server = served()
    const [one, other] = [await get(server, '/'), await get(server, '/conversations/conv_1')]
    expect(one).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(other.status).toBe(200)
    const nonceOf = ({ headers }: Got) => /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1]
    expect(nonceOf(one)).toHaveLength(24)
    expect(nonceOf(one)).not.toBe(nonceOf(other))
    expect(one.body.toString()).toContain(`content="${nonceOf(one)}"`)
  })

  it('is not what a client of the API gets, who is told where that is', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await get(served(), '/v1/chat/completions', {}, method)
      expect([status, body.toString()]).toEqual([404, 'This is the admin UI. The API listens on port 8780.'])
    }
  })

  it('lets nothing in-line run, and nobody frame it', async () => {
    const policy = String((await get(served(), '/')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
  })

  it('calls the API on the host that it was asked from, so that the cookie goes there', async () => {
    const { body, headers } = await get(served(), '/', { host: 'ops.example.com:8781' })
    expect(body.toString()).toContain('content="http://ops.example.com:8780"')
    expect(headers['content-security-policy']).toContain(
      "connect-src 'self' http://ops.example.com:8780 ws://ops.example.com:8780;",
    )
  })

  it('believes no Host that is no host', async () => {
    for (const host of ['a"><script>', "x; script-src 'unsafe-inline'", 'a b']) {
      const { body } = await get(served(), '/', { host })
      expect(body.toString()).toContain('content="http://localhost:8780"')
    }
  })

  it('calls what the settings name, else the public address', async () => {
    const environment = { SERVICE_PUBLIC_URL: 'https://gateway.example.com/x' }
    expect((await get(served(environment), '/')).body.toString()).toContain('content="https://gateway.example.com"')
    const both = { ...environment, SERVICE_WEBUI_API_BASE: 'https://api.example.com' }
    expect((await get(served(both), '/')).body.toString()).toContain('content="https://api.example.com"')
  })

  it('has the Content-Security-Policy that the operator sets', async () => {
    const server = served({ SERVICE_CSP: "default-src 'self'" })
    expect((await get(server, '/')).headers['content-security-policy']).toBe("default-src 'self'")
  })

  it('says what to do where it was not built', async () => {
    const { status, body } = await get(served({}, join(folder, 'nowhere')), '/')
    expect([status, body.toString()]).toEqual([503, 'The admin UI was not built. Run: npm run build:ui'])
  })
})

describe('files', () => {
  it('are sent packed to who takes that, and plain to who does not', async () => {
    const server = served()
    const packed = await get(server, '/assets/main-1.js', { 'accept-encoding': 'br, gzip' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(packed.body).toEqual(gzipSync(script))
    for (const accepted of ['', 'identity', 'gzip;q=0']) {
      const plain = await get(server, '/assets/main-1.js', { 'accept-encoding': accepted })
      expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([undefined, script])
    }
  })

  it('with hashed names are kept for ever, others are asked for again', async () => {
    const server = served()
    const { headers } = await get(server, '/assets/main-1.js')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await get(server, '/boot.js')).headers['cache-control']).toBe('no-cache')
    const again = await get(server, '/assets/main-1.js', { 'if-none-match': String(headers['etag']) })
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  it('that are not there are not the page', async () => {
    for (const path of ['/assets/main-2.js', '/../../etc/passwd.txt', '/assets/%2e%2e/index.html'])
      expect((await get(served(), path)).status).toBe(404)
  })

  it('run nothing in-line and are framed by nobody, whatever is opened by itself', async () => {
    const server = served()
    const etag = String((await get(server, '/boot.js')).headers['etag'])
    const answers = [
      await get(server, '/assets/main-1.js'),
      await get(server, '/boot.js', { 'if-none-match': etag }),
      await get(server, '/assets/main-2.js'),
      await get(server, '/', {}, 'POST'),
    ]
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toMatch(/base-uri 'none'.*frame-ancestors 'none'/)
      expect(headers['content-security-policy']).toMatch(/(script|default)-src '(self|none)'/)
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('say what they are, with the encoding of a text', async () => {
    const server = served()
    const typeOf = async (path: string) => (await get(server, path)).headers['content-type']
    expect(await typeOf('/boot.js')).toBe('text/javascript; charset=utf-8')
    expect(await typeOf('/icon.svg')).toBe('image/svg+xml; charset=utf-8')
  })

  it('are read only', async () => {
    expect(await get(served(), '/', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })
})

it('is not served where it is switched off', () => {
  const settings = openSettings({ environment: { SERVICE_WEBUI_ENABLED: '0' }, stored: new Map() })
  expect(openUi({ settings, clock: systemClock, log: recordingLog().log, gatewayPort: () => 1 })).toBeUndefined()
})
