/** The database over TLS, before which a server of the test stands that speaks it, or does not. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { freshAddress } from '../support/database.ts'

let postgres: DatabaseAddress
let drop: () => Promise<void>
let folder: string
let key: Buffer
let cert: Buffer

beforeAll(async () => {
  ;({ address: postgres, drop } = await freshAddress())
  folder = await mkdtemp(join(tmpdir(), 'tls-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, ...named, '-keyout', keyFile, '-out', certFile], {
    stdio: 'ignore',
  })
  key = await readFile(keyFile)
  cert = await readFile(certFile)
})
afterAll(async () => {
  await drop()
  await rm(folder, { recursive: true, force: true })
})

type Answer = 'S' | 'N' | 'silence' | 'end'

describe.each<[mode: string, answer: Answer, expected: string | RegExp]>([
  ['sslmode=disable', 'N', 'plain'],
  ['sslmode=prefer', 'N', 'plain'],
  ['sslmode=prefer', 'S', 'encrypted'],
  ['sslmode=require', 'S', 'encrypted'],
  ['ssl=true', 'S', /self-signed/],
  ['sslmode=verify-full', 'S', /self-signed/],
  ['sslmode=require&sslnegotiation=direct', 'S', 'encrypted'],
  ['sslmode=require', 'N', /does not speak TLS/],
  ['sslmode=require', 'end', /does not speak TLS/],
  ['sslmode=require', 'silence', /timeout/],
])('%s, and a server that answers %s', (mode, answer, expected) => {
  test(`is ${expected}`, async () => {
    const server = await serverThatAnswers(answer, mode.includes('direct'))
    expect(await askedOver(server, mode)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
    await server.end()
  })
})

test('a certificate that is trusted, of the host that is named, is taken', async () => {
  setDefaultCACertificates([...rootCertificates, cert.toString()])
  const server = await serverThatAnswers('S')
  expect(await askedOver(server, 'sslmode=verify-full')).toBe('encrypted')
  await server.end()
  setDefaultCACertificates([...rootCertificates])
})

interface TestServer {
  port: number
  isEncrypted: boolean
  end(): Promise<void>
}

async function serverThatAnswers(answer: Answer, isDirect = false): Promise<TestServer> {
  const sockets: Socket[] = []
  const found: TestServer = { port: 0, isEncrypted: false, end }
  const server: Server = createServer((client) => {
    sockets.push(client.on('error', () => {}))
    if (isDirect) pipe(encrypted(client))
    else client.once('data', (first) => begin(client, first))
  }).listen(0, '127.0.0.1')

  function begin(client: Socket, first: Buffer): void {
    const isTlsAsked = first.equals(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
    if (!isTlsAsked) {
      client.pause()
      client.unshift(first)
      pipe(client)
    } else if (answer === 'end') client.end()
    else if (answer !== 'silence') client.write(answer)
    if (isTlsAsked && answer === 'S') pipe(encrypted(client))
    if (isTlsAsked && answer === 'N') pipe(client)
  }

  function encrypted(client: Socket): TLSSocket {
    found.isEncrypted = true
    return new TLSSocket(client, { isServer: true, key, cert, ALPNProtocols: ['postgresql'] })
  }

  function pipe(client: Socket): void {
    const database = new Socket().connect(`${postgres.host}/.s.PGSQL.${postgres.port}`)
    sockets.push(database.on('error', () => {}))
    client.on('error', () => {}).pipe(database)
    database.pipe(client)
  }

  async function end(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }

  await new Promise((resolve) => server.once('listening', resolve))
  found.port = (server.address() as AddressInfo).port
  return found
}

/** How the connection was, or why there was none. */
async function askedOver(server: TestServer, query: string): Promise<string> {
  const login = `${postgres.user}:${encodeURIComponent(postgres.password ?? '')}`
  const url = `postgres://${login}@localhost:${server.port}/${postgres.database}?${query}`
  const driver = openPool({ url }, { name: 'test', connectionsMax: 1, statementMs: 0 })
  try {
    const [row] = await driver<{ one: number }[]>`select 1 as one`
    expect(row?.one).toBe(1)
    return server.isEncrypted ? 'encrypted' : 'plain'
  } catch (error) {
    return String(error)
  } finally {
    await driver.end({ timeout: 0 })
  }
}
