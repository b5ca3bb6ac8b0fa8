/** The feed for all tabs of this browser: one connection, where each tab's own would soon use up what a host may have. */
import { type FeedMessage, type FeedSource, feedSource } from './feed-source.ts'

/** What a tab says: who it is, and that it lives; tabs that were closed say nothing. */
export type TabMessage = { is: 'hello' | 'alive'; apiBase: string } | { is: 'bye' }

const tabs = new Map<MessagePort, number>()
/** Browsers run the timers of hidden tabs about once a minute. */
const silentMs = 150_000
const lookEveryMs = 60_000
let source: FeedSource | undefined

function tell(message: FeedMessage): void {
  for (const port of tabs.keys()) port.postMessage(message)
}

function leave(port: MessagePort): void {
  tabs.delete(port)
  if (tabs.size > 0) return
  source?.close()
  source = undefined
}

addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.is === 'bye') return leave(port)
    const isBack = data.is === 'alive' && !tabs.has(port)
    tabs.set(port, Date.now())
    source ??= feedSource(data.apiBase, tell)
    // It slept, or was kept out of sight, for so long that it was taken for closed.
    if (isBack) port.postMessage({ is: 'missed' } satisfies FeedMessage)
  }
})

setInterval(() => {
  for (const [port, heardMs] of tabs) if (Date.now() - heardMs > silentMs) leave(port)
}, lookEveryMs)
