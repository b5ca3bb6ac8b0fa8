/** An application that takes answers by webhook: a server on a socket, whose every answer the test scripts. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders
  /** As it came, for the signature. */
  raw: string
  text: string
  deliveryId: string
  /** The answer's own time, as the test's clock has it. */
  atMs: number
}

export type WebhookAnswer = (response: ServerResponse) => void

export interface WebhookReceiver {
  readonly url: string
  readonly port: number
  readonly received: ReceivedWebhook[]
  /** Requests without an answer so far. */
  readonly held: number
  texts(): string[]
  /** What is answered from now on. */
  always(answer: WebhookAnswer): void
  /** The next ones get these, in order. */
  script(...answers: WebhookAnswer[]): void
  close(): Promise<void>
}

export const status =
  (code: number, headers: Record<string, string> = {}): WebhookAnswer =>
  (response) =>
    void response.writeHead(code, headers).end()

/** Takes the request and says nothing. */
export const hold: WebhookAnswer = () => {}

export async function webhookReceiver(options: { port?: number; nowMs?: () => number } = {}): Promise<WebhookReceiver> {
  const { port: wanted = 0, nowMs = () => 0 } = options
  const received: ReceivedWebhook[] = []
  const scripted: WebhookAnswer[] = []
  const sockets = new Set<Socket>()
  let always: WebhookAnswer = status(204)
  let held = 0
  const server = createServer(async (request, response) => {
    held++
    response.on('close', () => {
      held--
    })
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const raw = Buffer.concat(parts).toString('utf8')
    const { data } = JSON.parse(raw) as { data: { text: string; delivery_id: string } }
    received.push({ headers: request.headers, raw, text: data.text, deliveryId: data.delivery_id, atMs: nowMs() })
    const answer = scripted.shift() ?? always
    answer(response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/answers`,
    port,
    received,
    get held() {
      return held
    },
    texts: () => received.map(({ text }) => text),
    always(answer) {
      always = answer
    },
    script(...answers) {
      scripted.push(...answers)
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
