import { expect, test } from 'vitest'
import { operator } from './support/command.ts'

test('a key made on the command line is shown once, works at once in the running service, and ends at once when it is revoked', async () => {
  const { service, start, chat } = await operator()
  await start()
  const made = await service('keys', 'create', '--name', 'shop', '--scope', 'chat', '--rpm', '600')
  const [id = '', key = ''] = made.text.split('\n')
  expect(id).toMatch(/^key_/)
  expect(key).toMatch(/^sk-/)
  expect((await chat(key)).status).toBe(200)

  const listed = await service('keys', 'list')
  expect(listed.text).toContain('shop')
  expect(listed.text).toContain('600')
  expect(listed.text).not.toContain(key)

  expect(await service('keys', 'revoke', id)).toMatchObject({ code: 0, text: `${id} is revoked` })
  await expect.poll(async () => (await chat(key)).status, { timeout: 2_000, interval: 10 }).toBe(401)
  expect((await service('keys', 'revoke', id)).code).toBe(1)
})

test('what a key cannot be is refused in words', async () => {
  const { service } = await operator()
  const wrong = [
    [['--scope', 'everything'], 'there is no scope everything'],
    [['--rpm', '0'], '--rpm takes a whole number'],
    [['--expires', '2020-01-01'], 'lies in the past'],
    [['--workspace', 'nowhere'], 'the id of a workspace'],
  ] as const
  for (const [options, words] of wrong) {
    const refused = await service('keys', 'create', '--name', 'x', ...options)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining(words) })
  }
  expect((await service('keys', 'list', '--json')).text).not.toContain('"name": "x"')
})
