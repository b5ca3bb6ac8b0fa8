/** Which logins may be made: none that reads as another actor of the audit log, however it is written. */
import { expect, it } from 'vitest'
import { Login } from '../../../http/auth/login-name.ts'

const problemWith = (login: string) => Login.safeParse(login).error?.issues[0]?.message

it('a login may be a word, an address, or a name in any script', () => {
  for (const login of ['ada', 'Ada', 'ada@example.com', 'ольга', 'key', 'keymaster', 'setup2', 'operator', '  ada '])
    expect(problemWith(login), login).toBeUndefined()
  expect(Login.parse('  Ada ')).toBe('Ada')
})

it('a login that the audit log would take for another actor is refused', () => {
  const names = ['setup', 'nobody', 'agent', 'compat', 'ticket', 'SETUP', 'Nobody', ' setup ', 'key_', 'Key_0123']
  // Full-width letters are stored as plain ones.
  for (const login of [...names, 'ｓｅｔｕｐ', 'ｋｅｙ_1', '\u212Aey_1'])
    expect(problemWith(login), login).toContain('audit log')
  expect(problemWith('command line')).toContain('blanks')
})

it('a login is judged as it is stored: no blanks and no length that its one sign stands for', () => {
  expect(problemWith('a b')).toContain('blanks')
  expect(problemWith('a\u0007b')).toContain('blanks')
  expect(problemWith('x\uFDFAy')).toContain('blanks')
  expect(problemWith('\u3392'.repeat(200))).toContain('blanks')
})
