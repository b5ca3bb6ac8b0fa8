/** A collector on a socket: takes what is pushed by OTLP over HTTP and keeps it as it came. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Collector {
  endpoint: string
  /** Parsed bodies by path, `/v1/traces` and so on. */
  received: Map<string, unknown[]>
  close(): Promise<void>
}

/** @param isSilent takes requests and never answers */
export async function openCollector({ isSilent = false } = {}): Promise<Collector> {
  const received = new Map<string, unknown[]>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    received.set(path, [...(received.get(path) ?? []), JSON.parse(Buffer.concat(chunks).toString())])
    if (!isSilent) response.setHeader('content-type', 'application/json').end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
