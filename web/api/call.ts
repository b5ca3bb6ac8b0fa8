/** Calls to the API: typed by its operations, with the session's cookie, with typed errors. */
import type { Operations } from './operations.ts'
import type { Answer, OperationName } from './types.ts'

type CallInput<Name extends OperationName> = Present<'params', Operations[Name]['params']> &
  Present<'query', Operations[Name]['query']> &
  Present<'body', Operations[Name]['body']> & {
    signal?: AbortSignal
    /** Chosen by the caller, so that the running request can be looked up. */
    requestId?: string
  }
type Present<Field extends string, Shape> = [Shape] extends [undefined]
  ? { [Key in Field]?: undefined }
  : object extends Shape
    ? { [Key in Field]?: Shape }
    : { [Key in Field]: Shape }

export const apiBase = metaOf('api-base', '__API_BASE__')

/** The content of a meta element; empty if the service has not filled in the mark, as under the development server. */
export function metaOf(name: string, mark: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content === mark ? '' : content
}

/** An answer outside 2xx, or no answer at all (status 0). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly requestId: string
  readonly retryAfterS: number | undefined
  /** The whole answer: some operations add fields to the envelope. */
  readonly body: unknown
  constructor(about: {
    status: number
    code: string
    message: string
    param?: string | null
    requestId: string
    retryAfterS?: number | undefined
    body?: unknown
    cause?: unknown
  }) {
    super(about.message, { cause: about.cause })
    this.status = about.status
    this.code = about.code
    this.param = about.param ?? null
    this.requestId = about.requestId
    this.retryAfterS = about.retryAfterS
    this.body = about.body
  }
}

/** The operator closed the dialog that asked to sign in again or to confirm. */
export class SignInDeclined extends Error {
  override readonly name = 'SignInDeclined'
}

interface AuthenticationHooks {
  /** Waits until the operator has signed in again; rejects with SignInDeclined. */
  signInAgain(): Promise<void>
  /** Waits until the operator has confirmed their identity. */
  confirmAgain(): Promise<void>
}
let hooks: AuthenticationHooks | undefined
let csrfToken = ''

/** Set by the app while it is signed in. */
export function setAuthenticationHooks(newHooks: AuthenticationHooks | undefined): void {
  hooks = newHooks
}

export function setCsrfToken(token: string): void {
  csrfToken = token
}

/**
 * Calls the API. If the session has ended or a confirmation is required, the operator is asked and the call is repeated,
 * so no input is lost.
 * @throws ApiFailure
 */
export async function call<Name extends OperationName>(name: Name, input: CallInput<Name>): Promise<Answer<Name>> {
  const response = await open(name, input)
  return (await response.json()) as Answer<Name>
}

/** As `call`, for answers that are not JSON: the response, unread. @throws ApiFailure */
export async function open<Name extends OperationName>(name: Name, input: CallInput<Name>): Promise<Response> {
  for (;;) {
    const response = await send(name, input as AnyInput)
    if (response.ok) return response
    const failure = await failureOf(response)
    if (!(await isAuthenticatedAgain(failure))) throw failure
  }
}

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  signal?: AbortSignal
  requestId?: string
}

export function urlOf(path: string, { params = {}, query = {} }: Pick<AnyInput, 'params' | 'query'>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, `${value}`)
  return `${apiBase}${filled}${search.size > 0 ? `?${search}` : ''}`
}

/** Ends the session; one that has ended already is no error. @throws ApiFailure */
export async function logOut(): Promise<void> {
  const response = await send('POST /v1/admin/auth/logout', {})
  if (!response.ok && response.status !== 401) throw await failureOf(response)
}

async function send(name: string, input: AnyInput): Promise<Response> {
  const [method = 'GET', path = ''] = name.split(' ')
  try {
    return await fetch(urlOf(path, input), {
      method,
      credentials: 'include',
      headers: {
        ...(input.body !== undefined && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { 'x-csrf-token': csrfToken }),
        ...(input.requestId !== undefined && { 'x-request-id': input.requestId }),
      },
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.signal && { signal: input.signal }),
    })
  } catch (cause) {
    if (input.signal?.aborted) throw cause
    throw new ApiFailure({ status: 0, code: 'unreachable', message: apiBase || location.origin, requestId: '', cause })
  }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const requestId = response.headers.get('x-request-id') ?? ''
  const retryAfterS = Number(response.headers.get('retry-after')) || undefined
  const { status } = response
  try {
    const body = (await response.json()) as { error: { message: string; code: string; param?: string | null } }
    return new ApiFailure({ ...body.error, status, requestId, retryAfterS, body })
  } catch (cause) {
    return new ApiFailure({ status, code: 'no_envelope', message: response.statusText, requestId, retryAfterS, cause })
  }
}

/** True: the operator has signed in or confirmed, and the call can be repeated. */
async function isAuthenticatedAgain({ code, status }: ApiFailure): Promise<boolean> {
  if (!hooks) return false
  if (code === 'session_ended' || (status === 401 && code === 'unauthorized')) await hooks.signInAgain()
  else if (code === 'confirmation_required') await hooks.confirmAgain()
  else if (code === 'csrf_token_invalid') await hooks.signInAgain()
  else return false
  return true
}
