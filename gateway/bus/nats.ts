/**
 * Messages between nodes over NATS core. A connection that is lost is made anew, for ever; one that cannot be made stops
 * nobody. What is sent while it is down is dropped: nodes find out from the database what they missed.
 */
import { isIP } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { type NatsConnection, PermissionViolationError } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { withoutPassword } from '../../config/url-password.ts'
import type { Log } from '../../runtime/log/log.ts'
import { systemRandom } from '../../runtime/random.ts'
import { fullJitter } from '../../runtime/time/backoff.ts'
import { type Clock, sleep, systemClock } from '../../runtime/time/clock.ts'
import { everybody } from './envelope.ts'
import { greeted } from './nats-greeting.ts'
import type { OpenWire, OutgoingFrame, Wire } from './wire.ts'

export interface NatsOptions {
  /** `nats://host:port`, or `tls://host:port` where nothing may go unencrypted. */
  url: string
  user?: string
  password?: string
  token?: string
  /** Authorities of the server's certificate in PEM; none: those that Node.js knows. With it TLS is required. */
  caFile?: string
}

export interface NatsWireOptions extends NatsOptions {
  epoch: number
  /** Of this installation's subjects. */
  prefix: string
  log: Log
  clock?: Clock
}

const defaultPort = 4_222
const connectMs = 5_000
/** A server that vanished without a word is found out by asking, twice. */
const pingEveryMs = 5_000
const pause = fullJitter(200, 2_000)
const pauseMsMin = 50
/** No message: sent to see whether the server takes it. */
const probe = Buffer.from('probe')
/** Servers of a cluster that are remembered besides the one that is set. */
const othersMax = 16

/** A larger frame waits in the server for a slow reader. */
const frameBytesMax = 1024 * 1024
/** After so many bytes we wait until the server has read them: it and the socket before it buffer without a bound. */
const unconfirmedBytesMax = 1024 * 1024

const consequence = 'nodes do not hear each other until then, and look into the database instead'

interface Address {
  host: string
  port: number
}

export function natsWire(options: NatsWireOptions): OpenWire {
  return async (ends) => {
    const { url, epoch, prefix, log, clock = systemClock } = options
    const place = withoutPassword(url)
    const closing = new AbortController()
    const tried = Promise.withResolvers<void>()
    let link: NatsConnection | undefined
    let confirmed: PromiseWithResolvers<void> | undefined
    let unconfirmedBytes = 0
    let reported: 'nothing' | 'unreachable' | 'refused' = 'nothing'
    /** To which the server did not let this node publish, the last time. */
    let refusedSubject: string | undefined
    /** Of the servers of a cluster, those that the last one told of. */
    let others: Address[] = []

    async function keepConnected(): Promise<void> {
      for (let attempt = 1; !closing.signal.aborted; attempt++) {
        try {
          const connection = await firstThatAnswers()
          const end = endOf(connection)
          if ((await isPermitted(connection)) && !closing.signal.aborted) {
            attempt = 0
            up(connection)
            tried.resolve()
          }
          if (closing.signal.aborted) await connection.close()
          down(await end)
        } catch (error) {
          down(error)
        }
        tried.resolve()
        const waitMs = pauseMsMin + pause.delayMs(attempt + 1, systemRandom)
        await sleep(clock, waitMs, closing.signal).catch(() => undefined)
      }
    }

    /** @throws what the last of them answered */
    async function firstThatAnswers(): Promise<NatsConnection> {
      let lastError: unknown
      for (const address of [addressOf(url), ...others]) {
        try {
          await greeted(address, closing.signal)
          return await connect(connectOptions(options, address))
        } catch (error) {
          lastError = error
        }
      }
      throw lastError
    }

    /** Closes it where its user may not do something: what goes there would be lost without a word. */
    async function endOf(connection: NatsConnection): Promise<unknown> {
      for await (const status of connection.status()) {
        if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue
        await connection.close()
        return status.error
      }
      return await connection.closed()
    }

    /** Hears from now on. False: the user may not hear, or not say, what nodes say. */
    async function isPermitted(connection: NatsConnection): Promise<boolean> {
      const subjects = [subjectOf(prefix, epoch), subjectOf(prefix, everybody)]
      for (const subject of subjects) {
        connection.subscribe(subject, {
          callback(error, message) {
            if (!error && !probe.equals(message.data)) ends.frame(message.data)
          },
        })
      }
      for (const subject of [...subjects, refusedSubject ?? subjectOf(prefix, epoch)])
        connection.publish(subject, probe)
      // Until the server has taken them, what others send to this node is lost. What it refuses it says before it answers.
      await Promise.race([connection.flush(), connection.closed()])
      await turn()
      return !connection.isClosed()
    }

    function up(connection: NatsConnection): void {
      const told = (connection.info?.connect_urls ?? []).slice(0, othersMax)
      others = told.filter((host) => URL.canParse(`nats://${host}`)).map((host) => addressOf(`nats://${host}`))
      link = connection
      unconfirmedBytes = 0
      if (reported !== 'nothing') log.info({ url: place }, 'NATS answers again: nodes hear each other')
      reported = 'nothing'
      ends.state(true)
    }

    function down(error: unknown): void {
      link = undefined
      confirmed?.reject(error)
      if (closing.signal.aborted) return
      if (error instanceof PermissionViolationError) reportRefused(error)
      else if (reported !== 'unreachable') {
        const reason = error instanceof Error ? error.message : 'the connection was closed'
        log.warn({ url: place, reason }, `NATS cannot be reached: ${consequence}`)
        reported = 'unreachable'
      }
      ends.state(false)
    }

    function reportRefused({ operation, subject }: PermissionViolationError): void {
      if (operation === 'publish') refusedSubject = subject
      if (reported === 'refused') return
      const verb = operation === 'publish' ? 'publish' : 'subscribe'
      log.warn(
        { url: place, subject },
        `the user at NATS may not ${verb} to this subject; allow it to publish and to subscribe to ${prefix}.>: ${consequence}`,
      )
      reported = 'refused'
    }

    function write(frames: readonly OutgoingFrame[]): Promise<void> | undefined {
      if (!link) throw new Error('NATS is down')
      for (const { to, bytes } of frames) {
        link.publish(subjectOf(prefix, to), bytes)
        unconfirmedBytes += bytes.length
      }
      if (unconfirmedBytes < unconfirmedBytesMax) return undefined
      unconfirmedBytes = 0
      // The client does not settle a flush whose connection is closed: `down` does.
      confirmed = Promise.withResolvers()
      link.flush().then(confirmed.resolve, confirmed.reject)
      return confirmed.promise
    }

    const keeping = keepConnected()
    await tried.promise
    return {
      get frameBytesMax() {
        return Math.min(frameBytesMax, link?.info?.max_payload ?? frameBytesMax)
      },
      write,
      async close() {
        closing.abort()
        if (link) await closed(link, clock)
        await keeping
      },
    } satisfies Wire
  }
}

const subjectOf = (prefix: string, to: number): string => (to === everybody ? `${prefix}.all` : `${prefix}.node.${to}`)

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort }
}

/** No reconnection of the client's own: it gives up for good where it is refused twice, and keeps what it could not send. */
function connectOptions({ url, user, password, token, caFile }: NatsOptions, { host, port }: Address) {
  const name = addressOf(url).host
  const isEncrypted = url.startsWith('tls:') || caFile
  return {
    servers: [host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`],
    name: 'service',
    reconnect: false,
    noEcho: true,
    noAsyncTraces: true,
    timeout: connectMs,
    pingInterval: pingEveryMs,
    maxPingOut: 2,
    ...(user && { user, pass: password ?? '' }),
    ...(token && { token }),
    ...(isEncrypted && { tls: { ...(!isIP(name) && { servername: name }), ...(caFile && { caFile }) } }),
  }
}

/** What was published before is sent, if the server still reads. */
async function closed(connection: NatsConnection, clock: Clock): Promise<void> {
  const timeout = new AbortController()
  await Promise.race([
    connection.flush().catch(() => undefined),
    connection.closed(),
    sleep(clock, 1_000, timeout.signal).catch(() => undefined),
  ])
  timeout.abort()
  await connection.close()
}
