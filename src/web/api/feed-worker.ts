/** The feed for all tabs of this browser: one connection, where each tab's own would soon use up what a host may have. */
import { type FeedMessage, type FeedSource, feedSource } from './feed-source.ts'

/** What a tab says: who it is, and that it lives; tabs that were closed say nothing. */
export type TabMessage = { is: 'hello'; apiBase: string } | { is: 'alive' } | { is: 'bye' }

const tabs = new Map<MessagePort, number>()
const silentMs = 60_000
let source: FeedSource | undefined
let isUp = false

function tell(message: FeedMessage): void {
  if (message.is === 'up') isUp = true
  if (message.is === 'down') isUp = false
  for (const port of tabs.keys()) port.postMessage(message)
}

function leave(port: MessagePort): void {
  tabs.delete(port)
  if (tabs.size > 0) return
  source?.close()
  source = undefined
  isUp = false
}

addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.is === 'bye') return leave(port)
    tabs.set(port, Date.now())
    if (data.is !== 'hello') return
    source ??= feedSource(data.apiBase, tell)
    if (isUp) port.postMessage({ is: 'up' } satisfies FeedMessage)
  }
})

setInterval(() => {
  for (const [port, heardMs] of tabs) if (Date.now() - heardMs > silentMs) leave(port)
}, silentMs)
