/** The feed of all tabs of this browser over one connection: browsers allow only a few per host. */
import { type Connection, type FeedMessage, type FeedSource, feedSource } from './feed-source.ts'

/** A closed tab may send nothing, so open ones report that they are alive. */
export type TabMessage = { is: 'hello' | 'alive'; apiBase: string } | { is: 'bye' }

const tabs = new Map<MessagePort, number>()
/** Browsers run the timers of hidden tabs about once a minute. */
const silentMs = 150_000
const checkEveryMs = 60_000
let source: FeedSource | undefined
/** For tabs that come later. */
let connection: Connection = { state: 'connecting' }

function publish(message: FeedMessage): void {
  if (message.is === 'connection') connection = message.connection
  for (const port of tabs.keys()) port.postMessage(message)
}

function removeTab(port: MessagePort): void {
  tabs.delete(port)
  if (tabs.size > 0) return
  source?.close()
  source = undefined
  connection = { state: 'connecting' }
}

addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.is === 'bye') return removeTab(port)
    const isBack = data.is === 'alive' && !tabs.has(port)
    tabs.set(port, Date.now())
    source ??= feedSource(data.apiBase, publish)
    port.postMessage({ is: 'connection', connection } satisfies FeedMessage)
    // The tab slept or was hidden for so long that it counted as closed.
    if (isBack) port.postMessage({ is: 'missed' } satisfies FeedMessage)
  }
})

setInterval(() => {
  for (const [port, lastMessageMs] of tabs) if (Date.now() - lastMessageMs > silentMs) removeTab(port)
}, checkEveryMs)
