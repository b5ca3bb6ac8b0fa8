/** The page on signing in tells of every permission what each role may, as the table in the code does. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { permissions, roleMay, roles } from '../../../http/auth/permissions.ts'

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
