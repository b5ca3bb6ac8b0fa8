/** `service operators`: the first one from the command line, whoever is locked out, and a running service that heeds it. */
import { expect, test } from 'vitest'
import { operator } from './support/command.ts'

const password = 'correct horse battery'

async function answer(url: string, path: string, body?: object, cookie = '') {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const set = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, cookie: set }
}

test('the first operator made on the command line voids the setup code of the running service and signs in', async () => {
  const { serviceHearing, service, start, url } = await operator({ SERVICE_MODERATION: 'off' })
  await start()
  const isNeeded = async () => (await answer(url, '/v1/admin/auth/setup')).body['is_needed']
  expect(await isNeeded()).toBe(true)

  const lesser = await serviceHearing(password, 'operators', 'create', '--login', 'ada', '--role', 'admin')
  expect(lesser).toMatchObject({ code: 1, text: 'the first operator is an owner' })
  const made = await serviceHearing(`${password}\n`, 'operators', 'create', '--login', 'Ada', '--name', 'Ada L')
  expect(made).toMatchObject({ code: 0, text: expect.stringMatching(/^oper_[0-9a-f]{32}$/) })
  await expect.poll(isNeeded).toBe(false)

  const session = await answer(url, '/v1/admin/auth/login', { login: 'ada', password })
  expect(session).toMatchObject({ status: 200, body: { role: 'owner' } })
  const list = await service('operators', 'list')
  expect(list.text).toMatch(/ada +enabled +password .*owner in ws_.*Ada L/)
  expect(list.text).not.toContain(password)
})

test('a disabled operator is signed out of the running service at once, and can sign in again after a reset', async () => {
  const { service, serviceHearing, start, url } = await operator({ SERVICE_MODERATION: 'off' })
  await serviceHearing(password, 'operators', 'create', '--login', 'ada')
  const clerk = await service('operators', 'create', '--login', 'clerk', '--role', 'operator', '--generate')
  const [, shown = ''] = clerk.text.split('\n')
  await start()
  const { cookie, status } = await answer(url, '/v1/admin/auth/login', { login: 'clerk', password: shown })
  expect(status).toBe(200)
  const isIn = async () => (await answer(url, '/v1/admin/auth/session', undefined, cookie)).status
  expect(await isIn()).toBe(200)

  expect(await service('operators', 'disable', 'clerk')).toMatchObject({ code: 0, text: 'clerk is disabled' })
  expect(await isIn()).toBe(401)
  expect((await service('operators', 'enable', 'clerk')).code).toBe(0)
  expect((await serviceHearing('another good one', 'operators', 'reset-password', 'clerk')).code).toBe(0)
  expect((await service('operators', 'reset-factors', 'clerk')).code).toBe(0)
  const again = await answer(url, '/v1/admin/auth/login', { login: 'clerk', password: 'another good one' })
  expect(again.status).toBe(200)
  expect(await isIn()).toBe(401)
})

test('invalid operators are refused with a reason', async () => {
  const { service, serviceHearing } = await operator()
  const create = ['operators', 'create', '--login', 'ada'] as const
  expect(await serviceHearing('short', ...create)).toMatchObject({
    code: 1,
    text: 'a password must have 10 to 256 characters',
  })
  expect(await serviceHearing('Password123', ...create)).toMatchObject({
    code: 1,
    text: 'the password is one of those that are tried first: choose another',
  })
  expect(await serviceHearing(password, ...create, '--role', 'king')).toMatchObject({
    code: 1,
    text: expect.stringContaining('there is no role king'),
  })
  expect(await service('operators', 'disable', 'nobody')).toMatchObject({
    code: 1,
    text: expect.stringContaining('there is no operator nobody'),
  })
})
