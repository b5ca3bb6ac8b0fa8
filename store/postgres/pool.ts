/** One pool of connections: a role, a size, and the settings under which postgres.js behaves. */
import postgres, { type Sql as Driver } from 'postgres'
import type { DatabaseAddress } from './address.ts'
import { addArrayTypes } from './arrays.ts'
import { connectTo, encryptionOf, readyForDriver } from './socket.ts'

export interface PoolOptions {
  name: string
  /** The role that its statements run as; none: the login's own. */
  role?: 'service_system' | 'service_tenant'
  connectionsMax: number
  /** Milliseconds after which the server ends a statement; 0: never. */
  statementMs: number
  /** Idle connections stay open: for the one that listens. */
  isAlwaysOpen?: boolean
  /** Further server settings of its connections. */
  parameters?: Readonly<Record<string, string | number>>
  /** A connection of the pool was closed, by either side. */
  onLost?: () => void
  onNotify?: (channel: string, payload: string) => void
}

/** What still runs when a pool is closed gets so many seconds. */
export const closeS = 2

/** Idle connections cost memory on both sides. */
const idleS = 60

/**
 * The driver (3.4.9) sends less than 1,024 bytes with the next `setImmediate`, and a connection that is lost in between never
 * sends anything again, not even its first message on a new socket. One of this length is sent at once.
 */
const padding = { 'service.padding': '.'.repeat(1_024) }

/** Of the driver's own options, as it hands them over. */
interface ParsedAddress {
  host: readonly string[]
  port: readonly number[]
  path: string | false
}

export function openPool(address: DatabaseAddress, options: PoolOptions): Driver {
  const { url, servers, ...target } = address
  const encryption = url === undefined ? undefined : encryptionOf(url)
  const settings = {
    ...target,
    max: options.connectionsMax,
    idle_timeout: options.isAlwaysOpen ? 0 : idleS,
    max_lifetime: null,
    connect_timeout: 5,
    // The driver's own backoff grows to 20 s: the service would be down for that long after a database restart.
    backoff: () => 0.1,
    onnotice() {},
    fetch_types: false,
    // The driver has this option, its types do not. It takes what it gets for what is encrypted already.
    socket: async ({ host: [host = ''], port: [port = 0], path }: ParsedAddress) =>
      await readyForDriver(servers ? await servers.connect() : connectTo(path ? { path } : { host, port }), encryption),
    ssl: false,
    onclose: () => options.onLost?.(),
    // The driver has this option, its types do not. Its `listen` does not report a lost connection.
    ...(options.onNotify && { onnotify: options.onNotify }),
    connection: {
      application_name: `service ${options.name}`,
      statement_timeout: options.statementMs,
      ...(options.role && { role: options.role }),
      ...options.parameters,
      ...padding,
    },
  }
  const driver = url === undefined ? postgres(settings) : postgres(url, settings)
  addArrayTypes(driver)
  return driver
}
