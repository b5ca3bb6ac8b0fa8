/**
 * The tool `http_request`: one HTTP request to an API. It is never repeated after a crash, not even a GET: a tool has one
 * idempotency, and this one can write. The server can recognise a repeated call by `idempotency-key`.
 */
import { z } from 'zod'
import { allowlist } from '../runtime/network/allowlist.ts'
import { decodeText, kindByBytes, kindByHeader } from './net/content-type.ts'
import { credentials } from './net/credentials.ts'
import { describeHosts } from './net/described-hosts.ts'
import { readUrl } from './net/read-url.ts'
import { requestHeaders } from './net/request-headers.ts'
import { guardedRequester, type OutgoingResponse } from './net/requester.ts'
import { defineTool, type ToolContext, ToolFailed, type ToolMaker } from './tool.ts'

const bodyCharactersMax = 1_000_000
const headersMax = 32
const headerCharactersMax = 4_096

/** Of the result, which the turn cuts further. */
const bodyTextCharactersMax = 200_000
const headerTextCharactersMax = 500

const Arguments = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
  url: z.string().min(1).max(8_192).describe('In full, with http:// or https://'),
  headers: z
    .record(z.string().max(128), z.string().max(headerCharactersMax))
    .refine((headers) => Object.keys(headers).length <= headersMax, `at most ${headersMax} headers`)
    .optional(),
  body: z.string().max(bodyCharactersMax).optional().describe('Text of the body; leave it out when json is given'),
  json: z.unknown().optional().describe('Body as a JSON value; sets the content type'),
})
type Arguments = z.infer<typeof Arguments>

/** Response headers that are useful to the caller. */
const reportedHeaders = [
  'content-type',
  'content-language',
  'location',
  'etag',
  'last-modified',
  'allow',
  'link',
  'retry-after',
  'www-authenticate',
  'x-total-count',
  'x-ratelimit-remaining',
  'x-request-id',
]

export const httpRequest: ToolMaker = ({ settings, log, clock, resolve }) => {
  const allow = allowlist(settings.get('SERVICE_HTTP_ALLOWLIST'))
  const auth = credentials(settings.get('SERVICE_HTTP_AUTH_JSON'))
  if (allow.unreadable.length > 0)
    log.error({ entries: allow.unreadable }, 'SERVICE_HTTP_ALLOWLIST has entries that are no hosts and allow nothing')
  if (auth.unreadable.length > 0)
    log.error(
      { hosts: auth.unreadable },
      'SERVICE_HTTP_AUTH_JSON has hosts whose entries cannot be used and are not sent',
    )
  const isAirgapped = settings.get('SERVICE_AIRGAPPED')
  const requester = guardedRequester({ allow, isAirgapped, credentials: auth, clock, log, resolve })

  async function run(context: ToolContext, args: Arguments): Promise<string> {
    const { method } = args
    const body = bodyOf(args)
    const headers = requestHeaders(args.headers ?? {}, auth.namesFor(readUrl(args.url)))
    if (args.json !== undefined) headers['content-type'] ??= 'application/json'
    else if (body !== undefined) headers['content-type'] ??= 'text/plain; charset=utf-8'
    headers['user-agent'] ??= 'agent-platform-service'
    if (method !== 'GET' && method !== 'HEAD') headers['idempotency-key'] = context.callKey
    try {
      const answer = await requester.request({ method, url: args.url, headers, body, signal: context.signal })
      return resultOf(answer, args.url, auth.redact)
    } catch (error) {
      if (!(error instanceof ToolFailed)) throw error
      // A server can put a secret that it got where a failure names it, such as the host of a redirect.
      throw new ToolFailed(error.code, auth.redact(error.message), { cause: error.cause })
    }
  }

  return defineTool({
    name: 'http_request',
    description: `Makes one HTTP request and returns status, headers and body. For interfaces (APIs); to read a web page use web_fetch. ${describeHosts(allow, isAirgapped)}`,
    arguments: Arguments,
    risk: 'write',
    idempotency: 'once',
    timeoutMs: 60_000,
    needsGrant: true,
    isUntrusted: true,
    run,
  })
}

/** @throws ToolFailed `bad_body` */
function bodyOf({ method, body, json }: Arguments): string | undefined {
  if (body !== undefined && json !== undefined) throw new ToolFailed('bad_body', 'Give either body or json, not both.')
  const text = json === undefined ? body : JSON.stringify(json)
  if (text !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new ToolFailed('bad_body', `A ${method} request has no body; leave it out.`)
  if (text !== undefined && text.length > bodyCharactersMax)
    throw new ToolFailed('bad_body', `The body is longer than ${bodyCharactersMax} characters.`)
  return text
}

type Redact = (text: string) => string

/** Secrets are redacted before anything is cut: half of one would not be found. */
function resultOf(answer: OutgoingResponse, requestedUrl: string, redact: Redact): string {
  const { status, statusText, headers, url } = answer
  const lines = [redact(`HTTP ${status} ${statusText}`.trimEnd())]
  if (url !== new URL(requestedUrl).href) lines.push(redact(`redirected to: ${url}`))
  for (const name of reportedHeaders) {
    const value = headers[name]
    if (value !== undefined) lines.push(`${name}: ${redact(value).slice(0, headerTextCharactersMax)}`)
  }
  return `${lines.join('\n')}\n\n${bodyText(answer, redact)}`
}

function bodyText({ bytes, headers, isTruncated }: OutgoingResponse, redact: Redact): string {
  if (bytes.length === 0) return '(no body)'
  const contentType = headers['content-type'] ?? ''
  const kind = kindByHeader(contentType) ?? kindByBytes(bytes)
  if (kind === 'other')
    return `(a body of ${isTruncated ? 'more than ' : ''}${bytes.length} bytes that is not text and is not shown)`
  const text = redact(decodeText(bytes, contentType, kind))
  const shown = text.slice(0, bodyTextCharactersMax)
  const isCut = isTruncated || shown.length < text.length
  return isCut ? `${shown}\n\n(cut here: the body is longer than ${shown.length} characters)` : shown
}
