/** The failures of an endpoint, told apart: the client's fault, the service's, what may pass and what will not. */
import { type EndpointErrorName, ModelError, type ModelErrorCode, type ModelErrorDetails } from '../errors.ts'
import type { EndpointAddress } from './endpoint.ts'

/** Of an endpoint's own message, which reaches clients and the turn's record. */
const messageCharactersMax = 1_000
/** Of the code and the type of its error. */
const nameCharactersMax = 100

/** What a message about an endpoint's failure needs to know of it. */
export type EndpointLabel = Pick<EndpointAddress, 'redact' | 'settingKeys' | 'style'>

export interface Refusal {
  status: number
  /** The body of the answer, or the `error` of an event. */
  body: unknown
  retryAfterMs: number | undefined
  /** The endpoint's own opinion, in `x-should-retry`. */
  shouldRetry: boolean | undefined
  endpoint: EndpointLabel
}

export function unreachable(cause: Error, address: EndpointLabel): ModelError {
  // The HTTP client's own refusal to send it.
  if (/invalid authorization header/i.test(cause.message))
    return new ModelError('endpoint_credentials', `${address.settingKeys.key} holds characters that no header may hold`)
  return new ModelError('endpoint_unreachable', 'the model endpoint cannot be reached', {
    isTransient: !isPermanent(cause),
    cause,
  })
}

export const streamCut = (cause?: unknown): ModelError =>
  new ModelError('stream_cut', 'the model endpoint broke off in the middle of its answer', { isTransient: true, cause })

export const malformedAnswer = (what: string, cause?: unknown): ModelError =>
  new ModelError('garbage', `the model endpoint sent something that is no answer: ${what}`, { cause })

export const answerTooLarge = (what: string): ModelError =>
  new ModelError('answer_too_large', `the model endpoint sent ${what}`)

export const streamSilent = (silenceMs: number): ModelError =>
  new ModelError('stream_silent', `the model endpoint sent nothing for ${silenceMs / 1_000} s`)

/** A wrong certificate, an impossible name or key, an address that may not be called: no second attempt helps. */
function isPermanent(cause: Error): boolean {
  const code = 'code' in cause ? String(cause.code) : ''
  return /^refused_|CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|UND_ERR_INVALID_ARG|ERR_INVALID/.test(code)
}

/** A non-2xx answer, or an error in a stream, as the failure it is to us. */
export function refusalError(refusal: Refusal): ModelError {
  const { status, retryAfterMs, endpoint: address } = refusal
  const named = namedIn(refusal.body, address.redact)
  const [code, details] = kindOf(status, named)
  return new ModelError(code, messageOf(code, status, named.words, address), {
    retryAfterMs,
    upstreamStatus: status,
    upstreamName: code === 'endpoint_credentials' ? undefined : nameOf(code, named),
    param: named.param,
    ...details,
    isTransient: refusal.shouldRetry ?? details.isTransient,
  })
}

/** What it is called to the client. Its own code decides; that a prompt is too long is known by one name. */
function nameOf(code: ModelErrorCode, { ownCode, type }: Named): EndpointErrorName {
  return { code: ownCode ?? (code === 'context_too_long' ? tooLongCode : undefined), type }
}

function kindOf(status: number, named: Named): [ModelErrorCode, ModelErrorDetails] {
  switch (status) {
    // The service's credentials or account: the client cannot change them, and 401 would make it look at its own key.
    case 401:
    case 402:
    case 403:
    case 407:
      return ['endpoint_credentials', {}]
    case 404:
      // Without a message nobody answers under this path: the base URL is wrong, not the model's name.
      return named.words === '' ? ['endpoint_error', {}] : ['model_unknown', {}]
    case 408:
      return ['endpoint_error', { status: 504, isTransient: true }]
    case 409:
      return ['endpoint_error', { isTransient: true }]
    case 429:
      return named.code === 'insufficient_quota' ? ['quota_exceeded', {}] : ['rate_limited', { isTransient: true }]
    case 501:
    case 505:
      return ['endpoint_error', {}]
    case 503:
    case 529:
      return ['endpoint_overloaded', { isTransient: true }]
    case 504:
    case 522:
    case 524:
      return ['endpoint_error', { status: 504, isTransient: true }]
    default:
      if (status >= 500) return ['endpoint_error', { isTransient: true }]
      if (status < 400 || status === 405) return ['endpoint_error', {}]
      return isTooLong(named)
        ? ['context_too_long', {}]
        : ['bad_request', { status: passedOn.has(status) ? status : 400 }]
  }
}

/** The 4xx that are as true of the client's request as of the service's. */
const passedOn = new Set([400, 413, 415, 422])

const tooLongCode = 'context_length_exceeded'

function isTooLong({ code, words }: Named): boolean {
  return code === tooLongCode || /context (length|window|size)|maximum context|prompt is too long/i.test(words)
}

function messageOf(code: ModelErrorCode, status: number, words: string, { settingKeys, style }: EndpointLabel): string {
  const said = words === '' ? '' : `: ${words}`
  switch (code) {
    case 'bad_request':
    case 'context_too_long':
    case 'model_unknown':
      return words === '' ? `the model endpoint refuses the request (${status})` : words
    case 'endpoint_credentials':
      return `the model endpoint refuses the service’s own credentials (${status}); see ${settingKeys.key}`
    case 'rate_limited':
      return `the model endpoint limits the rate of calls${said}`
    case 'quota_exceeded':
      return `the quota at the model endpoint is used up${said}`
    case 'endpoint_overloaded':
      return `the model endpoint is overloaded${said}`
    default:
      if (status >= 300 && status < 400)
        return `the model endpoint redirects (${status}); name its final address in ${settingKeys.url}`
      if (status === 404 || status === 405)
        return `nothing answers ${style === 'chat' ? 'chat completions' : 'responses'} there (${status}); see ${settingKeys.url}`
      return `the model endpoint failed (${status})${said}`
  }
}

interface Named {
  words: string
  /** Its code, or in want of one its type. */
  code: string | undefined
  ownCode: string | undefined
  type: string | undefined
  param: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** The endpoint's message, from the places where endpoints put it. */
function namedIn(body: unknown, redact: EndpointLabel['redact']): Named {
  // Before the text is cut: half a secret would not be found.
  const said = (words: string) => clean(redact(words))
  const named = (places: unknown[]) => {
    const name = places.find(isText)
    return name === undefined ? undefined : said(name).slice(0, nameCharactersMax)
  }
  const outer = fields(body)
  const inner = fields(outer['error'])
  const { detail } = outer
  const words =
    [inner['message'], outer['error'], outer['message'], detail, body].find(isText) ??
    (Array.isArray(detail) ? JSON.stringify(detail) : '')
  const ownCode = named([inner['code'], outer['code']])
  const type = named([inner['type']])
  const param = inner['param']
  return {
    words: said(words),
    code: ownCode ?? type,
    ownCode,
    type,
    param: isText(param) ? said(param) : undefined,
  }
}

/** An error in the place of an answer; its status is in the error, or is derived from its kind. */
export function errorInAnswer(error: unknown, address: EndpointLabel): ModelError {
  return refusalError({
    status: statusOf(fields(error)),
    body: isText(error) ? error : { error },
    retryAfterMs: undefined,
    shouldRetry: undefined,
    endpoint: address,
  })
}

function statusOf(error: Fields): number {
  for (const value of [error['status'], error['status_code'], error['code']]) {
    const status = Number(value)
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status
  }
  const kind = `${error['code'] ?? ''} ${error['type'] ?? ''}`
  if (/rate_limit|insufficient_quota/.test(kind)) return 429
  if (/overloaded/.test(kind)) return 503
  if (/invalid_(request|prompt|image)|context_length|content_filter|content_policy/.test(kind)) return 400
  return 500
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** One line that is safe in logs and terminals. */
function clean(words: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const line = words.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return line.length > messageCharactersMax ? `${line.slice(0, messageCharactersMax)}…` : line
}
