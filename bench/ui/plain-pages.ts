/** The floor of what a browser shows: a page that is nothing but a sentence, and one that is nothing but rows. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const rows = 3_000
const rowPixels = 44

export interface PlainPages {
  url: string
  stop(): void
}

export async function plainPages(): Promise<PlainPages> {
  const page = (body: string) => `<!doctype html><html lang="en"><title>plain</title><body>${body}</body></html>`
  const listed = Array.from({ length: rows }, (_, n) => `<div style="height:${rowPixels}px">row ${n}</div>`).join('')
  const bodies: Record<string, string> = {
    '/': page('<p>Here.</p>'),
    '/rows': page(`<section aria-label="Rows" style="height:80vh;overflow:auto">${listed}</section>`),
  }
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(bodies[request.url ?? ''] ?? '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
