/** The session that the browser has. */
import { ApiFailure, call, setCsrfToken } from './call.ts'
import type { Answer } from './types.ts'

export type Session = Answer<'GET /v1/admin/auth/session'>
export type Permission = Session['permissions'][number]

/** Undefined: there is no valid session. @throws ApiFailure if the service cannot tell */
export async function currentSession(): Promise<Session | undefined> {
  try {
    const session = await call('GET /v1/admin/auth/session', {})
    setCsrfToken(session.csrf_token)
    return session
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) return undefined
    throw error
  }
}
