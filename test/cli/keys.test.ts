import { expect, test } from 'vitest'
import { operator } from './support/command.ts'

test('a key made on the command line is shown once, works at once in the running service, and ends at once when it is revoked', async () => {
  const { service, start, chat } = await operator()
  await start()
  const made = await service('keys', 'create', '--name', 'shop', '--scope', 'chat', '--rpm', '600')
  const [id = '', key = ''] = made.text.split('\n')
  expect(id).toMatch(/^key_/)
  expect(key).toMatch(/^sk-/)
  // Twice: the second time it comes from the key ring's memory.
  expect((await chat(key)).status).toBe(200)
  expect((await chat(key)).status).toBe(200)

  const [table, json] = await Promise.all([service('keys', 'list'), service('keys', 'list', '--json')])
  expect(table.text).toContain('shop')
  expect(table.text).toContain('600')
  expect(JSON.parse(json.text)).toContainEqual(expect.objectContaining({ id, name: 'shop', revokedAt: null }))
  expect(`${table.text}${json.text}`).not.toContain(key)

  expect(await service('keys', 'revoke', id)).toMatchObject({ code: 0, text: `${id} is revoked` })
  expect((await chat(key)).status).toBe(401)
  expect((await service('keys', 'list')).text).toMatch(new RegExp(`${id}.*revoked `))
  expect((await service('keys', 'revoke', id)).code).toBe(1)
})

test('a key made before the first start is one that it takes, and then it makes none of its own', async () => {
  const { service, start, chat } = await operator({ SERVICE_BOOTSTRAP_KEY: '' })
  const [, key = ''] = (await service('keys', 'create', '--name', 'early', '--scope', '*')).text.split('\n')
  const running = await start()
  expect((await chat(key)).status).toBe(200)
  expect(running.lines.map(({ msg }) => msg).join('\n')).not.toContain('sk-')
})

test('what a key cannot be is refused in words', async () => {
  const { service } = await operator()
  const wrong = [
    [['--scope', 'everything'], 'there is no scope everything'],
    [['--rpm', '0'], '--rpm takes a whole number'],
    [['--tpm', '1.5'], '--tpm takes a whole number'],
    [['--expires', '2020-01-01'], 'is in the past'],
    [['--workspace', 'nowhere'], 'the id of a workspace'],
  ] as const
  for (const [options, words] of wrong) {
    const refused = await service('keys', 'create', '--name', 'x', ...options)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining(words) })
  }
  expect((await service('keys', 'list', '--json')).text).not.toContain('"name": "x"')
})
