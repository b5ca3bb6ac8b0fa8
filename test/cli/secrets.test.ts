import { expect, test } from 'vitest'
import { operator } from './support/command.ts'

test('a secret is set from standard input, listed without its value, and removed', async () => {
  const { service, serviceHearing } = await operator()
  const set = await serviceHearing('nobody-sees-this-value\n', 'secrets', 'set', 'ldap', 'bind_password')
  expect(set).toMatchObject({ code: 0, text: 'ldap/bind_password is stored, and applies at once' })
  const [listed, json] = [await service('secrets', 'list'), await service('secrets', 'list', '--json')]
  expect(listed.text).toMatch(/ldap\/bind_password\s+\S+\s+command line/)
  expect(`${set.text}${listed.text}${json.text}`).not.toContain('nobody-sees-this-value')

  expect((await service('secrets', 'remove', 'ldap', 'bind_password')).code).toBe(0)
  expect(await service('secrets', 'remove', 'ldap', 'bind_password')).toMatchObject({
    code: 1,
    text: expect.stringContaining('there is no secret ldap/bind_password'),
  })
  expect((await service('secrets', 'list')).text).toBe('there are no secrets')
})

test('a bad name and an empty value are refused with what is allowed', async () => {
  const { serviceHearing } = await operator()
  const [name, value] = await Promise.all([
    serviceHearing('v', 'secrets', 'set', 'LDAP', 'bind_password'),
    serviceHearing('\n', 'secrets', 'set', 'ldap', 'bind_password'),
  ])
  expect(name).toMatchObject({ code: 1, text: expect.stringContaining('a scope is 1 to 32 lower-case letters') })
  expect(value).toMatchObject({ code: 1, text: expect.stringContaining('a secret is not empty') })
})
