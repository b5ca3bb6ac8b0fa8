/** The page on signing in tells of every permission what each role may, as the table in the code does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { permissions, permissionsToCome, roleMay, roles } from '../../../http/auth/permissions.ts'
import { principalKinds, principalKindsToCome } from '../../../http/auth/principal-kinds.ts'

it('has the roles and permissions of now', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sign-in.md'), 'utf8')
  const [heading = [], ...told] = page
    .split('\n')
    .filter((line) => /^\| (permission|`)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(heading).toEqual(['permission', ...roles])
  const held = permissions.map((permission) => [
    `\`${permission}\``,
    ...roles.map((role) => (roleMay(role, permission) ? 'yes' : '')),
  ])
  expect(told).toEqual(held)
})

it('names what is kept for parts to come, and nothing of it is in use already', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')
  const kept = [...Object.keys(permissionsToCome), ...Object.keys(principalKindsToCome)]
  const used = new Set<string>([...permissions, ...Object.keys(principalKinds)])
  expect(kept.filter((name) => used.has(name) || !page.includes(`\`${name}\``))).toEqual([])
})
