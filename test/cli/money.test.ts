/** Prices and budgets from the command line, beside a running service. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from './support/command.ts'

test('prices are set, listed, exported, imported and removed', async () => {
  const { service, start } = await operator()
  await start()
  const made = await service(
    'prices',
    'set',
    'm',
    '--currency',
    'USD',
    '--price',
    'token_in=2500000',
    'token_out=10000000',
  )
  expect(made, made.text).toMatchObject({ code: 0 })
  expect((await service('prices', 'list')).text).toMatch(/m +- +USD .* token_in=2500000 token_out=10000000/)
  const exported = (await service('prices', 'export')).text
  expect(JSON.parse(exported)).toMatchObject({
    prices: [{ model: 'm', endpoint: '', currency: 'USD', until: null, units: { token_in: 2_500_000 } }],
  })
  const file = join(tmpdir(), `prices-${process.pid}.json`)
  await writeFile(file, exported.replaceAll('USD', 'EUR'))
  expect(await service('prices', 'import', file)).toMatchObject({
    code: 1,
    text: expect.stringContaining('All prices are of one currency'),
  })
  expect(await service('prices', 'import', file, '--replace')).toMatchObject({ code: 0, text: '1 prices are added' })
  const [price] = JSON.parse((await service('prices', 'list', '--json')).text) as { id: number; currency: string }[]
  expect(price?.currency).toBe('EUR')
  expect((await service('prices', 'remove', String(price?.id))).code).toBe(0)
  expect(await service('prices', 'remove', String(price?.id))).toMatchObject({ code: 1 })
})

test('budgets are set, listed, exported, imported and removed', async () => {
  const { service, start } = await operator()
  await start()
  const made = await service('budgets', 'set', 'workspace', '--period', 'day', '--soft', '10', '--hard', '20')
  expect(made.text).toMatch(/^bud_[0-9a-f]{32}$/)
  expect((await service('budgets', 'list')).text).toMatch(/workspace +- +day +tokens +0 +10 +20 +within/)
  const exported = JSON.parse((await service('budgets', 'export')).text) as { budgets: object[] }
  const budget = { subject: 'workspace', value: '', period: 'day', unit: 'tokens', soft_limit: 10, hard_limit: 20 }
  expect(exported).toEqual({ budgets: [budget] })
  expect((await service('budgets', 'remove', made.text)).code).toBe(0)
  expect((await service('budgets', 'remove', made.text)).code).toBe(1)
  const file = join(tmpdir(), `budgets-${process.pid}.json`)
  const wrong = { budgets: [budget, { ...budget, subject: 'key', value: 'x' }] }
  await writeFile(file, JSON.stringify(wrong))
  expect(await service('budgets', 'import', file)).toMatchObject({ code: 1, text: 'the value is an id: key_…' })
  expect(JSON.parse((await service('budgets', 'list', '--json')).text)).toEqual([])
  await writeFile(file, JSON.stringify(exported))
  expect(await service('budgets', 'import', file)).toMatchObject({ code: 0, text: '1 budgets are set' })
})

test('what prices and budgets cannot be is refused in words', async () => {
  const { service } = await operator()
  const wrong = [
    [['prices', 'set', 'm', '--currency', 'USD', '--price', 'token_in=-1'], '--price takes a unit and a whole number'],
    [['prices', 'set', 'm', '--currency', 'XXQ', '--price', 'token_in=1'], 'no currency has this code'],
    [['prices', 'set', 'm', '--currency', 'USD', '--price', 'token_in=1', '--from', 'soon'], '--from takes a time'],
    [['prices', 'import', '/nowhere.json'], 'cannot be read'],
    [['budgets', 'set', 'workspace', '--period', 'day'], 'a soft limit, a hard limit, or both'],
    [['budgets', 'set', 'workspace', '--period', 'year', '--hard', '1'], 'period'],
    [['budgets', 'set', 'workspace', '--period', 'day', '--hard', '1.5'], '--hard takes a whole number'],
    [
      ['budgets', 'set', 'workspace', '--period', 'day', '--soft', '2', '--hard', '1'],
      'the soft limit is above the hard limit',
    ],
  ] as const
  for (const [command, words] of wrong) {
    const refused = await service(...command)
    expect(refused, command.join(' ')).toMatchObject({ code: 1, text: expect.stringContaining(words) })
  }
})
