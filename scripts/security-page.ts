/** `npm run docs:security`: writes the table of who may what into docs/security.md, from the routes and the check they pass. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isPermitted, type Principal, type SignedIn } from '../http/access.ts'
import { type Role, roles } from '../http/auth/permissions.ts'
import type { Route } from '../http/route.ts'
import { routes } from '../http/routes.ts'
import { firstWorkspaceId } from '../store/id.ts'
import { ownerId } from '../store/owner-id.ts'
import { type Scope, scopes } from '../store/scopes.ts'
import { tableOf, withTable } from './table-in-page.ts'

export const securityPageFile = fileURLToPath(new URL('../docs/security.md', import.meta.url))

/** @param page with a table of any age between the marks */
export const securityPage = (page: string): string => withTable(page, whoMayWhat(routes))

function whoMayWhat(all: readonly Route[]): string {
  const rows = all
    .filter(({ tag }) => tag !== 'off')
    .map((route) => [`\`${route.method} ${route.path}\``, ...callersOf(route), route.issues ?? ''])
    .sort(([one = ''], [other = '']) => (pathOf(one) < pathOf(other) ? -1 : 1))
  const heading = ['route', 'nobody', 'ticket', 'a key needs', ...roles, 'besides', 'issues']
  return tableOf(heading, rows)
}

const pathOf = (cell: string): string => cell.slice(cell.indexOf('/'))

function callersOf({ access }: Route): string[] {
  const none = roles.map(() => '')
  if (access.kind === 'open') return ['yes', '', '', ...none, '']
  if (access.kind === 'webhook') return ['', '', '', ...none, 'the secret of the channel']
  if (access.kind === 'inbound') return ['', '', '', ...none, 'the inbound secret']
  const needed = scopes.filter((scope) => isPermitted(keyWith(scope), access))
  // Every scope that alone suffices; `*` always does where one does.
  const scope = needed.length > 1 ? needed.filter((each) => each !== '*') : needed
  const besides = [
    (access.kind === 'admin' || access.kind === 'own') && access.isDangerous && 'fresh proof',
    access.kind === 'admin' && access.isInstallation && 'default workspace',
    access.kind === 'signed' && 'or a signed address',
  ].filter((each) => each !== false)
  return [
    '',
    access.kind === 'web' || access.kind === 'signed' ? 'yes' : '',
    scope.map((each) => `\`${each}\``).join(' or '),
    ...roles.map((role) => (isPermitted(sessionOf(role), access) ? 'yes' : '')),
    besides.join(', '),
  ]
}

const caller = {
  workspaceId: firstWorkspaceId,
  owner: ownerId('key', 'any'),
  keyId: null,
  rateLimitRpm: null,
  expiresAtMs: null,
} as const

const keyWith = (scope: Scope): Principal => ({ ...caller, kind: 'service', scopes: new Set([scope]) })

const sessionOf = (role: Role): Principal => ({
  ...caller,
  kind: 'operator',
  scopes: new Set<Scope>(),
  operator: { role } as SignedIn,
})

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(securityPageFile, securityPage(readFileSync(securityPageFile, 'utf8')))
