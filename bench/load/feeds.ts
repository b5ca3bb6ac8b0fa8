/** Readers of feeds: how soon the first of them gets a message, and what thousands of idle ones cost. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { ClientConnection } from './client-connection.ts'
import { EventSplitter } from './event-splitter.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, runPhases } from './phases.ts'

/** Opened at once: more would only wait for each other's handshake. */
const openingMax = 100

/** From the post of a message to its event on the operators' feed. */
export async function firstEventLoad(job: Job & { kind: 'first-event' }, listeners: PhaseListeners): Promise<Figures> {
  const waiting = new Map<string, (atMs: number) => void>()
  const feed = new ClientConnection(job.target)
  const events = new EventSplitter((event) => {
    const text = /"content":"([^"]+)"/.exec(event)?.[1]
    if (text !== undefined) waiting.get(text)?.(performance.now())
  })
  await openFeed(feed, job, '/v1/events/stream?kinds=message.created', events)
  const tookMs: number[] = []
  let next = 0
  await runPhases({ ...job, ...listeners }, async (now) => {
    const connection = new ClientConnection(job.target)
    await connection.open()
    while (!now.isOver) {
      const text = `first event ${process.pid} ${next++}`
      const received = new Promise<number>((resolve) => waiting.set(text, resolve))
      const startedMs = performance.now()
      const status = await connection.exchange(post('generic', `sender-${next % 100}`, text))
      if (status !== 202) throw new Error(`a message was answered ${status}`)
      const receivedMs = (await received) - startedMs
      waiting.delete(text)
      if (now.isMeasuring) tookMs.push(receivedMs)
    }
    connection.close()
  })
  feed.close()
  return {
    firstEventP50Ms: percentile(tookMs, 50),
    firstEventP99Ms: percentile(tookMs, 99),
    eventsPerS: tookMs.length / (job.measureMs / 1_000),
  }
}

/** Feeds of one conversation each, and messages to some of them: every event has to reach its reader and nobody else. */
export async function fanOutLoad(job: Job & { kind: 'fan-out' }, listeners: PhaseListeners): Promise<Figures> {
  const conversations = await conversationsOf(job)
  const sentAtMs = new Map<string, number>()
  const tookMs: number[] = []
  let isMeasuring = false
  let strayed = 0
  let delivered = 0
  const feeds = conversations.map((conversation, at) => ({
    connection: new ClientConnection(job.target),
    conversation,
    events: new EventSplitter((event) => {
      const text = /"content":"(fan-out [^"]+)"/.exec(event)?.[1]
      if (text === undefined) return
      if (!text.endsWith(` ${at}`)) strayed++
      if (isMeasuring) {
        delivered++
        tookMs.push(performance.now() - (sentAtMs.get(text) ?? 0))
      }
      sentAtMs.delete(text)
    }),
  }))
  for (let from = 0; from < feeds.length; from += openingMax) {
    await Promise.all(
      feeds
        .slice(from, from + openingMax)
        .map(({ connection, conversation, events }) =>
          openFeed(connection, job, `/v1/web/stream?conversation_id=${conversation}`, events),
        ),
    )
  }
  let next = 0
  const phases = await runPhases(
    {
      ...job,
      onBegin() {
        isMeasuring = true
        listeners.onBegin?.()
      },
      onEnd: () => listeners.onEnd?.(),
    },
    async (now, index) => {
      const connection = new ClientConnection(job.target)
      await connection.open()
      for (let round = 1; !now.isOver; round++) {
        const lines: string[] = []
        for (let count = 0; count < job.perS / 10 / job.connections; count++) {
          const at = next++ % feeds.length
          const text = `fan-out ${index} ${round} ${count} ${at}`
          sentAtMs.set(text, performance.now())
          lines.push(`{"channel":"generic","external_id":"feed-${at}","text":"${text}"}`)
        }
        const [status] = await Promise.all([connection.exchange(ndjson(lines)), pause(100)])
        if (status !== 202) throw new Error(`lines were answered ${status}`)
      }
      connection.close()
    },
  )
  for (const { connection } of feeds) connection.close()
  return {
    deliveredPerS: delivered / phases.measuredS,
    deliveryP50Ms: percentile(tookMs, 50),
    deliveryP99Ms: percentile(tookMs, 99),
    strayed,
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Made by their first message. */
async function conversationsOf(job: Job & { kind: 'fan-out' }): Promise<string[]> {
  const conversations: string[] = []
  for (let from = 0; from < job.feeds; from += 500) {
    const count = Math.min(500, job.feeds - from)
    const lines = Array.from({ length: count }, (_, at) => ({
      channel: 'generic',
      external_id: `feed-${from + at}`,
      text: 'begin',
    }))
    const answer = await fetch(`http://${job.target.host}:${job.target.port}/v1/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(lines),
    })
    const { results } = (await answer.json()) as { results: { conversation_id: string }[] }
    conversations.push(...results.map(({ conversation_id }) => conversation_id))
  }
  return conversations
}

/** Resolves once the feed says that it is level. */
function openFeed(connection: ClientConnection, job: Job, path: string, events: EventSplitter): Promise<void> {
  return new Promise((resolve, reject) => {
    events.onReady = resolve
    connection
      .exchange(
        Buffer.from(
          `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${job.target.headers['authorization']}\r\n\r\n`,
        ),
        {
          head: (status) => {
            if (status !== 200) reject(new Error(`a feed was answered ${status}`))
          },
          body: (bytes) => events.feed(bytes),
        },
      )
      .catch(reject) // once the feed is open this says only that it was closed
  })
}

function post(channel: string, sender: string, text: string): Buffer {
  const body = JSON.stringify({ channel, external_id: sender, text })
  return Buffer.from(
    `POST /v1/inbound HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}

function ndjson(lines: string[]): Buffer {
  const body = lines.join('\n')
  return Buffer.from(
    `POST /v1/inbound HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}
