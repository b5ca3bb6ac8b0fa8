/** A server that is reached by HTTP (the protocol's "streamable HTTP"): the SDK's transport over our bounded requests. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Agent, type buildConnector } from 'undici'
import { OutgoingRefused } from '../../runtime/network/judge.ts'
import type { Outgoing } from '../../runtime/network/outgoing.ts'
import { atMost } from '../../runtime/time/at-most.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { McpConnectionFailed } from './connection-failed.ts'
import type { Link, LinkDependencies } from './link.ts'
import { passwordOf, userOf } from './secrets.ts'
import type { HttpDescription } from './server-description.ts'

/** Below the 5 s after which common servers close an idle connection, so that a call rarely meets one that is closing. */
const keepAliveMs = 4_000

export function openHttpLink(server: HttpDescription, dependencies: LinkDependencies): Link {
  const { limits, clock } = dependencies
  const { url, headers } = addressOf(server)
  const agent = new Agent({
    connect: connectorTo(url, dependencies.outgoing),
    keepAliveTimeout: keepAliveMs,
    headersTimeout: limits.callMs + limits.closeGraceMs,
    // Streams of notifications are silent for hours; calls have their own deadlines.
    bodyTimeout: 0,
  })
  let brokenBy: McpConnectionFailed | undefined
  let ended: Promise<void> | undefined
  const requests = boundedFetch(url, agent, {
    limits,
    clock,
    onBroken(problem) {
      if (brokenBy || ended) return
      brokenBy = problem
      dependencies.onBroken(problem)
    },
  })
  const transport = new StreamableHTTPClientTransport(url, { fetch: requests.fetch, requestInit: { headers } })

  /** Asks the server to delete the session; one that is gone, or cannot, does not hold us up. */
  async function endSession(): Promise<void> {
    const isGone = brokenBy?.code === 'unreachable' || brokenBy?.code === 'session_lost'
    if (transport.sessionId === undefined || isGone) return
    const ended = transport.terminateSession().catch((error: unknown) => transport.onerror?.(asError(error)))
    await atMost(limits.closeGraceMs, ended, { clock })
  }

  function end(): Promise<void> {
    ended ??= endSession().then(async () => {
      await closeTransport()
      await agent.destroy()
    })
    return ended
  }

  const closeTransport = transport.close.bind(transport)
  // Closing the transport, as the SDK's client does, ends the session and the connections too.
  transport.close = end
  return { transport, end }
}

/** Its failures are those of a connection to a server: what the judge says may be told as it is. */
function connectorTo(url: URL, outgoing: Outgoing): buildConnector.connector {
  const connect = outgoing.connectorFor(url)
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (!error) callback(null, socket)
      else if (error instanceof OutgoingRefused)
        callback(new McpConnectionFailed(codeOf(error), error.message, { cause: error }), null)
      else callback(error, null)
    })
}

const codeOf = ({ code }: OutgoingRefused) =>
  code === 'refused_address' || code === 'refused_host' ? code : 'unreachable'

function asError(error: unknown): Error {
  return error instanceof Error ? error : new McpConnectionFailed('unreachable', 'its session cannot be ended')
}

/** `fetch` accepts no user and password in an address: they become the header that they stand for. */
function addressOf(server: HttpDescription): { url: URL; headers: Record<string, string> } {
  const url = new URL(server.url)
  const headers = Object.fromEntries(new Headers(server.headers))
  if (url.username !== '' && headers['authorization'] === undefined) {
    headers['authorization'] = `Basic ${Buffer.from(`${userOf(url)}:${passwordOf(url)}`).toString('base64')}`
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  return { url, headers }
}
