/** The world around the service in a crash test: a model that answers each message, and an application that gets the answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../src/runtime/random.ts'

export interface ReceivedDelivery {
  deliveryId: string
  messageId: string
  externalId: string
  text: string
}

export interface Outside {
  modelUrl: string
  webhookUrl: string
  /** Every delivery that the application said 200 to, in order. */
  received: ReceivedDelivery[]
  close(): Promise<void>
}

/** Milliseconds that the model thinks at most. */
const thinkMsMax = 60

export async function outside(random: Random): Promise<Outside> {
  const received: ReceivedDelivery[] = []
  const model = await serve(async (body, response) => {
    const { messages, stream } = JSON.parse(body) as { messages: { content: string }[]; stream?: boolean }
    await wait(random.next() * thinkMsMax)
    const text = `re: ${messages.at(-1)?.content}`
    if (!stream) throw new Error('turns of channels are streamed')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    response.write(chunk({ role: 'assistant', content: text.slice(0, 4) }))
    await wait(random.next() * thinkMsMax)
    response.end(`${chunk({ content: text.slice(4) })}${chunk({}, 'stop')}data: [DONE]\n\n`)
  })
  const application = await serve(async (body, response) => {
    const { data } = JSON.parse(body) as { data: Record<string, string> }
    const luck = random.next()
    // One in fifty is refused for the moment, and as many are taken while their sender hears nothing of it.
    if (luck < 0.02) {
      response.writeHead(503, { 'retry-after': '0' }).end()
      return
    }
    const { delivery_id: deliveryId = '', message_id: messageId = '', external_id: externalId = '', text = '' } = data
    received.push({ deliveryId, messageId, externalId, text })
    if (luck < 0.04) response.destroy()
    else response.writeHead(204).end()
  })
  return {
    modelUrl: `${model.url}/v1`,
    webhookUrl: `${application.url}/answers`,
    received,
    async close() {
      await Promise.all([model.close(), application.close()])
    },
  }
}

async function serve(
  answer: (body: string, response: ServerResponse) => Promise<void>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    void textOf(request)
      .then((body) => answer(body, response))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
