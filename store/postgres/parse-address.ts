/** From the operator's URL to an address. */
import { parseDatabaseUrl, type ServerTarget } from '../../config/database-url.ts'
import type { DatabaseAddress } from './address.ts'
import { listedServers } from './servers.ts'

/**
 * @param url `postgres://user:password@host:port/database`; several hosts are separated by commas. As in libpq, `?host=/folder`
 *   is the folder of a Unix socket.
 * @param target which of several servers is meant where the address does not say
 */
export function addressOf(url: string, target: ServerTarget): DatabaseAddress {
  const parsed = parseDatabaseUrl(url)
  const [first] = parsed?.places ?? []
  if (!parsed || !first) throw new TypeError('this is no address of PostgreSQL')
  const one = parsed.places.length === 1 ? new URL(url) : undefined
  const folder = one?.searchParams.get('host')
  if (one && folder?.startsWith('/')) {
    return {
      host: folder,
      port: Number(one.port || one.searchParams.get('port') || 5_432),
      database: decodeURIComponent(one.pathname.slice(1)) || 'postgres',
      user: decodeURIComponent(one.username),
      password: decodeURIComponent(one.password),
    }
  }
  if (first.host === '') return { url }
  const { places, urlOf } = parsed
  return { url: urlOf(first), servers: listedServers({ places, urlOf, target: parsed.target ?? target }) }
}
