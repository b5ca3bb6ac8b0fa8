/** A service with its first owner signed in, and a way to let others in beside them. */
import { expect } from 'vitest'
import type { Role } from '../../../../http/auth/permissions.ts'
import type { GatewayUnderTest } from '../../../support/gateway.ts'
import { type Browser, browser } from '../auth/support/browser.ts'

export const password = 'correct horse battery'

export interface Person {
  id: string
  login: string
  browser: Browser
}

export async function firstOwner(service: GatewayUnderTest): Promise<Person> {
  const own = browser(service)
  const code = service.gateway.setupCode ?? ''
  const made = await own.post('/v1/admin/auth/setup', { code, login: 'owner', password })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return { id: (made.body['operator'] as { id: string }).id, login: 'owner', browser: own }
}

/** Made by this one, and signed in. */
export async function letIn(service: GatewayUnderTest, maker: Person, role: Role, login: string): Promise<Person> {
  const made = await maker.browser.post('/v1/admin/operators', { login, role, password })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const own = browser(service)
  expect((await own.signIn(login, password)).status).toBe(200)
  return { id: String(made.body['id']), login, browser: own }
}

/** The code of a refusal. */
export function codeOf({ body }: { body: Record<string, unknown> }): unknown {
  return (body['error'] as { code?: unknown } | undefined)?.code
}

/** A key's request, past all cookies. */
export async function withKey(
  service: GatewayUnderTest,
  key: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${service.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
