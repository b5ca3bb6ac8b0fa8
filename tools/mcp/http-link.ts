/** A server that is reached by HTTP (the protocol's "streamable HTTP"): the SDK's transport on requests with bounds of ours. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Agent } from 'undici'
import { sleep } from '../../runtime/time/clock.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { connectorFor } from './internal-only.ts'
import type { Link, LinkDependencies } from './link.ts'
import { McpProblem } from './problem.ts'
import { passwordOf, userOf } from './secrets.ts'
import type { HttpDescription } from './server-description.ts'

/** Below the 5 s after which common servers close an idle connection, so that a call rarely meets one on its way out. */
const keepAliveMs = 4_000

export function openHttpLink(server: HttpDescription, dependencies: LinkDependencies): Link {
  const { limits, clock } = dependencies
  const agent = new Agent({
    connect: connectorFor(dependencies.isAirgapped),
    keepAliveTimeout: keepAliveMs,
    headersTimeout: limits.callMs + limits.closeGraceMs,
    // Streams of notices stand still for hours; calls have deadlines of their own.
    bodyTimeout: 0,
  })
  const { url, headers } = addressOf(server)
  let brokenBy: McpProblem | undefined
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

  /** The server is told that the session is over; one that is gone, or does not know how, cannot keep us. */
  async function farewell(): Promise<void> {
    const isGone = brokenBy?.code === 'unreachable' || brokenBy?.code === 'session_lost'
    if (transport.sessionId === undefined || isGone) return
    const told = transport.terminateSession().catch((error: unknown) => transport.onerror?.(asError(error)))
    await Promise.race([told, sleep(clock, limits.closeGraceMs)])
  }

  function end(): Promise<void> {
    ended ??= farewell().then(async () => {
      await closeTransport()
      await agent.destroy()
    })
    return ended
  }

  const closeTransport = transport.close.bind(transport)
  // Whoever closes the transport, the SDK's client included, ends the session and the connections with it.
  transport.close = end
  return { transport, end }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new McpProblem('unreachable', 'its session cannot be ended')
}

/** `fetch` takes no user and password in an address: they become the header that they stand for. */
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
