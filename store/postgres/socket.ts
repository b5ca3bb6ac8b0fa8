/**
 * Connections for the driver. It (3.4.9) goes on taking queries between a connection's `error` and its `close`, which Node gives
 * in two phases of the event loop. Such a query is neither sent nor refused, and once the connection is open anew the answers go
 * to the wrong queries. So both come together here; over TLS too, which therefore is begun here.
 */
import { once } from 'node:events'
import { isIP, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { ServerPlace } from '../../config/database-url.ts'

/** As libpq names them; what is not here verifies the certificate. */
const withoutTls = ['disable', 'false']
const withoutVerifying = ['prefer', 'allow', 'require']

/** How long the server has to say whether it speaks TLS, and to begin it. */
const tlsMs = 5_000

export interface Encryption {
  isOptional: boolean
  isDirect: boolean
  options: ConnectionOptions
}

/** What the address of a database says of TLS. Undefined: none. */
export function encryptionOf(url: string): Encryption | undefined {
  const { searchParams } = new URL(url)
  const mode =
    searchParams.get('sslrootcert') === 'system'
      ? 'verify-full'
      : (searchParams.get('sslmode') ?? searchParams.get('ssl'))
  if (mode === null || mode === '' || withoutTls.includes(mode)) return undefined
  const isDirect = searchParams.get('sslnegotiation') === 'direct'
  return {
    isOptional: mode === 'prefer',
    isDirect,
    options: {
      rejectUnauthorized: !withoutVerifying.includes(mode),
      ...(isDirect && { ALPNProtocols: ['postgresql'] }),
    },
  }
}

/** The driver reads its place for TLS and for its errors. */
export type PlacedSocket = Socket & Partial<ServerPlace>

export function connectTo(place: ServerPlace | { path: string }): PlacedSocket {
  return Object.assign(new Socket(), place).connect(place)
}

/** @returns a connection that fails at its first write where it could not be made: the driver does not get over a rejection */
export async function readyForDriver(
  socket: Duplex & Partial<ServerPlace>,
  encryption: Encryption | undefined,
): Promise<Duplex> {
  if (!encryption) return withErrorAtClose(socket)
  try {
    return withErrorAtClose(await encrypted(socket, encryption))
  } catch (error) {
    socket.destroy()
    return failedConnection(error as Error)
  }
}

/** @throws as soon as the server refuses, closes, or takes too long */
async function encrypted(socket: Duplex & Partial<ServerPlace>, encryption: Encryption): Promise<Duplex> {
  const { host = '', port } = socket
  const signal = AbortSignal.timeout(tlsMs)
  // Also after what is awaited here has failed.
  socket.on('error', () => {})
  if (!encryption.isDirect) {
    socket.write(sslRequest)
    const answer = await firstOf(socket, signal)
    if (answer === 'N' && encryption.isOptional) return socket
    if (answer !== 'S') throw Object.assign(new Error('the server does not speak TLS'), { code: 'NO_TLS' })
  }
  const secure = connectTls({ socket, ...(isIP(host) === 0 && { servername: host }), ...encryption.options })
  secure.on('error', () => {})
  await once(secure, 'secureConnect', { signal })
  return Object.assign(secure, { host, port })
}

/** What the server says first. */
function firstOf(socket: Duplex, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (bytes) => resolve(String(bytes)))
    socket.once('error', reject)
    socket.once('close', () => resolve(''))
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

/** Of four bytes each: the length, and the code of the request. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

function withErrorAtClose(socket: Duplex): Duplex {
  const emit = socket.emit.bind(socket) as (name: string | symbol, ...values: unknown[]) => boolean
  let error: unknown
  socket.emit = (name: string | symbol, ...values: unknown[]): boolean => {
    if (name === 'error') {
      error = values[0]
      return true
    }
    if (name === 'close' && error !== undefined) emit('error', error)
    return emit(name, ...values)
  }
  return socket
}

export function failedConnection(error: Error): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error) })
}
