/** Where the database is: the operator's URL, or the socket of the built-in one. */

export interface DatabaseAddress {
  url?: string
  host?: string
  port?: number
  database?: string
  user?: string
  password?: string
}

/** @param url `postgres://user:password@host:port/database`; as in libpq, `?host=/folder` is the folder of a Unix socket */
export function addressOf(url: string): DatabaseAddress {
  const parsed = new URL(url)
  const folder = parsed.searchParams.get('host')
  if (!folder?.startsWith('/')) return { url }
  return {
    host: folder,
    port: Number(parsed.port || parsed.searchParams.get('port') || 5_432),
    database: decodeURIComponent(parsed.pathname.slice(1)) || 'postgres',
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
  }
}
