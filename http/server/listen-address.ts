/** Parses an address to listen on: `:8780`, `127.0.0.1:8780`, `[::1]:8780` or `8780`. */

export interface ListenAddress {
  /** Empty: every interface, IPv4 and IPv6. */
  host: string
  port: number
}

/** @throws RangeError with the address when it has none of these forms */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]*):)?(\d{1,5})$/.exec(text.trim())
  const port = Number(match?.[2] ?? Number.NaN)
  if (!match || !(port <= 65_535)) {
    throw new RangeError(`${JSON.stringify(text)} is not an address to listen on; use host:port, :port or [ipv6]:port`)
  }
  return { host: (match[1] ?? '').replace(/^\[|\]$/g, ''), port }
}
