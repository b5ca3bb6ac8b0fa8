/** Requests to URLs that a model names: judged addresses, judged redirects, and limits on everything in the response. */
import { STATUS_CODES } from 'node:http'
import { Client, type Dispatcher } from 'undici'
import type { Log } from '../../runtime/log/log.ts'
import { type Allowlist, allowlist, hostOf, portOf } from '../../runtime/network/allowlist.ts'
import {
  addressKindFromHere,
  judgeHost,
  OutgoingRefused,
  type OutgoingRules,
  type Resolve,
} from '../../runtime/network/judge.ts'
import { pinnedConnector } from '../../runtime/network/pinned-connection.ts'
import { type Clock, systemClock } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'

import { type Credentials, credentials } from './credentials.ts'
import { acceptEncoding, type Body, readBody } from './decoded-body.ts'
import { outgoingFailure } from './failures.ts'
import { readUrl } from './read-url.ts'
import { type Hop, type Method, nextHop } from './redirect.ts'
import { type RequestTimer, startRequestTimer, type TimeLimits } from './request-timer.ts'

export interface RequestLimits extends TimeLimits {
  /** Of a body, compressed and decompressed each; the rest is not read. */
  bodyBytesMax: number
  headerBytesMax: number
  redirectsMax: number
  /** At once; beyond this a request is refused. */
  requestsMax: number
}

export const defaultLimits: RequestLimits = {
  connectMs: 10_000,
  headersMs: 20_000,
  silenceMs: 15_000,
  totalMs: 45_000,
  bodyBytesMax: 5 * 1_048_576,
  headerBytesMax: 32_768,
  redirectsMax: 5,
  requestsMax: 32,
}

export interface RequesterOptions {
  /** Hosts as `allowlist` reads them; empty: all but internal ones. */
  allow: readonly string[] | Allowlist
  /** Nothing but the allowed hosts. */
  isAirgapped: boolean
  /** Sent to their own hosts only. */
  credentials?: Credentials
  limits?: Partial<RequestLimits>
  clock?: Clock
  /** The operator's: it gets what models are not told. */
  log?: Log
  resolve: Resolve
  /** The kind of an address. Replaced only in tests. */
  judge?: OutgoingRules['judge']
}

export interface OutgoingRequest {
  method: Method
  url: string
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array | undefined
  signal: AbortSignal
  /** Gets the head of the final response before its body is read; what it throws ends the request. */
  onHead?(head: ResponseHead): void
}

export interface ResponseHead {
  /** Where the answer came from, after redirects. */
  url: string
  status: number
  statusText: string
  /** Lower-case names; repeated headers joined by a comma. */
  headers: Readonly<Record<string, string>>
}

export interface OutgoingResponse extends ResponseHead, Body {}

export interface Requester {
  /** @throws ToolFailed; the signal's reason when it aborts */
  request(request: OutgoingRequest): Promise<OutgoingResponse>
}

interface RequesterParts {
  log: Log | undefined
  rules: OutgoingRules
  limits: RequestLimits
  credentials: Credentials
}

export function guardedRequester(options: RequesterOptions): Requester {
  const { allow, isAirgapped, resolve, judge = addressKindFromHere, clock = systemClock } = options
  const limits = { ...defaultLimits, ...options.limits }
  const allowed = 'match' in allow ? allow : allowlist(allow)
  const parts: RequesterParts = {
    log: options.log,
    // While the list is empty, every public address is allowed.
    rules: { allow: allowed, isOnlyListed: isAirgapped || !allowed.isEmpty, resolve, judge },
    limits,
    credentials: options.credentials ?? credentials({}),
  }
  let requestsInFlight = 0
  return {
    async request(request) {
      if (requestsInFlight >= limits.requestsMax)
        throw new ToolFailed('busy', 'Too many requests are under way; try again later.')
      requestsInFlight++
      const watch = startRequestTimer(clock, limits, request.signal)
      try {
        return await follow(request, parts, watch)
      } finally {
        watch.end()
        requestsInFlight--
      }
    },
  }
}

async function follow(request: OutgoingRequest, parts: RequesterParts, watch: RequestTimer): Promise<OutgoingResponse> {
  const { method, headers = {}, body } = request
  let hop: Hop = { method, url: readUrl(request.url), headers, body, isFirstOrigin: true }
  for (let redirects = 0; redirects <= parts.limits.redirectsMax; redirects++) {
    const answer = await perform(hop, request.onHead, parts, watch)
    if ('bytes' in answer) return answer
    hop = answer
  }
  throw new ToolFailed('too_many_redirects', `There were more than ${parts.limits.redirectsMax} redirects.`)
}

/** @returns the response, or the next hop of a redirect */
async function perform(
  hop: Hop,
  onHead: OutgoingRequest['onHead'],
  parts: RequesterParts,
  watch: RequestTimer,
): Promise<OutgoingResponse | Hop> {
  const { limits } = parts
  watch.startPhase('connect')
  const host = hostOf(hop.url)
  const target = { host, port: portOf(hop.url) }
  const { addresses, isInternal } = await watch
    .race(judgeHost(target, parts.rules, watch.signal))
    .catch((error: unknown) => {
      if (error instanceof OutgoingRefused)
        parts.log?.info({ ...target, code: error.code, err: error }, 'a request of a tool is not made')
      throw outgoingFailure(error, host, false)
    })
  const secret = hop.isFirstOrigin ? parts.credentials.headersFor(hop.url, isInternal) : {}
  const client = clientTo(hop.url, addresses, limits, watch)
  try {
    const answer = await client.request({
      method: hop.method,
      path: hop.url.pathname + hop.url.search,
      headers: { ...hop.headers, ...secret, 'accept-encoding': acceptEncoding },
      body: hop.body ?? null,
      signal: watch.signal,
    })
    // An unread body fails when its connection is closed.
    answer.body.on('error', () => undefined)
    watch.startPhase('body')
    const head = headOf(answer, hop.url)
    const next = nextHop(hop, head.status, head.headers['location'])
    if (next) return next
    onHead?.(head)
    const encoding = hop.method === 'HEAD' ? '' : (head.headers['content-encoding'] ?? '')
    return { ...head, ...(await readBody(answer.body, encoding, limits.bodyBytesMax, () => watch.startPhase('body'))) }
  } catch (error) {
    // Where we aborted, our reason replaces the client's error.
    if (isInternal && !watch.signal.aborted && !(error instanceof ToolFailed))
      parts.log?.info({ ...target, reason: reasonOf(error) }, 'a request of a tool to an internal address failed')
    throw watch.signal.aborted ? watch.signal.reason : outgoingFailure(error, host, isInternal)
  } finally {
    await client.destroy()
  }
}

/** One for each hop: the address of a reused connection would have been judged for another request. */
function clientTo(url: URL, addresses: readonly string[], limits: RequestLimits, watch: RequestTimer): Client {
  const connect = pinnedConnector(addresses, watch.signal)
  return new Client(url.origin, {
    connect(options, callback) {
      connect(options, (...outcome) => {
        if (outcome[0] === null) watch.startPhase('headers')
        callback(...outcome)
      })
    },
    maxHeaderSize: limits.headerBytesMax,
    pipelining: 1,
    allowH2: false,
    // The request timer uses the service's clock.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function headOf({ statusCode, statusText, headers }: Dispatcher.ResponseData, url: URL): ResponseHead {
  const joined = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  return {
    url: url.href,
    status: statusCode,
    statusText: statusText || (STATUS_CODES[statusCode] ?? ''),
    headers: Object.fromEntries(joined),
  }
}

/** Without the fields of undici's errors: one holds what the server sent, which may be a secret that it got. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  return [error.name, ...(typeof code === 'string' ? [code] : []), error.message].join(': ')
}
