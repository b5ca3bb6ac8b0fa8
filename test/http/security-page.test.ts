/** The table of who may what is of the code as it is, and whatever hands out a credential asks the one function. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { routes } from '../../http/routes.ts'
import { securityPage, securityPageFile } from '../../scripts/security-page.ts'

const root = join(import.meta.dirname, '../..')

it('docs/security.md has the table of now: npm run docs:security writes it', () => {
  const page = readFileSync(securityPageFile, 'utf8')
  expect(securityPage(page)).toBe(page)
})

it('these routes issue what lets somebody in', () => {
  const issuing = routes.filter(({ issues }) => issues !== undefined)
  expect(Object.fromEntries(issuing.map(({ method, path, issues }) => [`${method} ${path}`, issues]))).toEqual({
    'POST /v1/web/tickets': 'ticket',
    'POST /v1/admin/apikeys': 'key',
    'POST /v1/admin/apikeys/rotate': 'key',
    'POST /v1/admin/own-keys': 'personal key',
    'POST /v1/admin/operators': 'operator',
    'POST /v1/admin/operators/add': 'operator',
    'POST /v1/admin/operators/update': 'operator',
    'POST /v1/admin/operators/reset-password': 'one-time link',
    'POST /v1/admin/settings': 'fixed key',
    'POST /v1/admin/auth/setup': 'session',
    'POST /v1/admin/auth/login': 'session',
    'POST /v1/admin/auth/passkey/login': 'session',
    'POST /v1/admin/auth/workspace': 'session',
    'POST /v1/admin/auth/set-password': 'password',
    'POST /v1/admin/auth/password': 'password',
    'POST /v1/admin/auth/totp/begin': 'factor',
    'POST /v1/admin/auth/recovery-codes': 'factor',
    'POST /v1/admin/auth/passkeys/register/verify': 'factor',
  })
})

it('every file that stores a key or makes a ticket asks what its maker may hand on', () => {
  const makers = globSync('http/**/*.ts', { cwd: root }).filter((file) =>
    /\b(createApiKey|rotateApiKey)\(|tickets\.issue\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  const bare = makers.filter((file) => !/\bissue\(principal, /.test(readFileSync(join(root, file), 'utf8')))
  // The first key of all has no maker.
  expect(bare).toEqual(['http/auth/bootstrap-key.ts'])
  expect(makers).toContain('http/web-chat/create-ticket.ts')
})
