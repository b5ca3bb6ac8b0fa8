/** An MCP server by HTTP whose every answer the test writes; it keeps the handshake unless told otherwise. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  headers: IncomingMessage['headers']
  /** The JSON-RPC message of a POST. */
  message: { id?: number; method?: string; params?: Record<string, unknown> }
}

/** @returns true where it answered; otherwise the handshake and the list are answered as usual */
export type Answer = (asked: Asked, response: ServerResponse) => boolean

export interface HttpServerUnderTest {
  url: string
  asked: Asked[]
  close(): Promise<void>
}

export const sessionHeader = { 'mcp-session-id': 'session-of-the-test' }

const started: HttpServerUnderTest[] = []

export async function httpServer(answer: Answer = () => false): Promise<HttpServerUnderTest> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const heard: Asked = {
      method: request.method ?? '',
      headers: request.headers,
      message: body === '' ? {} : JSON.parse(body),
    }
    asked.push(heard)
    if (!answer(heard, response)) asUsual(heard, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const underTest: HttpServerUnderTest = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  started.push(underTest)
  return underTest
}

/** For afterEach. */
export async function closeHttpServers(): Promise<void> {
  for (const server of started.splice(0)) await server.close()
}

export function answerJson(response: ServerResponse, id: unknown, result: unknown): true {
  response.writeHead(200, { 'content-type': 'application/json', ...sessionHeader })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  return true
}

function asUsual({ method, message }: Asked, response: ServerResponse): void {
  const { id } = message
  if (method === 'GET') response.writeHead(405).end()
  else if (method === 'DELETE') response.writeHead(200).end()
  else if (message.method === 'initialize')
    answerJson(response, id, {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'scripted', version: '1' },
    })
  else if (message.method === 'tools/list')
    answerJson(response, id, { tools: [{ name: 'go', inputSchema: { type: 'object' } }] })
  else if (message.method === 'tools/call') answerJson(response, id, { content: [{ type: 'text', text: 'fine' }] })
  else response.writeHead(202).end()
}
