import { expect, test } from 'vitest'
import { urlOf } from '../support/gateway.ts'
import { operator } from './support/command.ts'

const keyOf = (letter: string) => Buffer.alloc(32, letter).toString('base64')

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

test('one database has one master key: a start and a command with another are refused until what it sealed is removed', async () => {
  const { database, serviceHearing } = await operator({ SERVICE_MASTER_KEY: keyOf('a') })
  expect((await serviceHearing('value\n', 'secrets', 'set', 'ldap', 'bind_password')).code).toBe(0)
  const other = await operator({ SERVICE_MASTER_KEY: keyOf('b'), SERVICE_DATABASE_URL: urlOf(database) })
  const refused = 'secret:ldap/bind_password was sealed under another master key'

  const started = other.begin()
  expect(await started.end).toBe(78)
  const problems = started.lines.filter((line) => line['level'] === 'fatal')
  expect(problems).toMatchObject([{ code: 'seal_broken', reason: expect.stringContaining(refused) }])
  expect(JSON.stringify(started.lines)).not.toContain('stack')
  const set = () => other.serviceHearing('value\n', 'secrets', 'set', 'saml', 'sp_key')
  expect(await set()).toMatchObject({ code: 1, text: expect.stringContaining(refused) })

  expect((await other.service('secrets', 'remove', 'ldap', 'bind_password')).code).toBe(0)
  expect(await set()).toMatchObject({ code: 0 })
  await other.start()
  await other.stop()
})
