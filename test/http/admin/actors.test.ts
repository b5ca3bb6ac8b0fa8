/** The supervision tree over the admin API, of a service that has answered something. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

let running: GatewayUnderTest
beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  const messages = [{ role: 'user', content: 'hello' }]
  for (let n = 0; n < 5; n++)
    await running.post(
      '/v1/chat/completions',
      { messages, model: 'x' },
      { 'x-service-conversation-id': `conv_${String(n).repeat(32)}` },
    )
})
afterAll(() => running.stop())

async function look(query = '') {
  const answer = await running.get(`/v1/admin/actors${query}`)
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
  return (await answer.json()) as any
}

test('kinds, pools and totals are told, and actors only of a kind that is asked for', async () => {
  const { kinds, items, totals, pools, live } = await look()
  expect(kinds.map(({ kind }: { kind: string }) => kind)).toContain('conversation')
  expect(items).toEqual([])
  expect(live).toBeGreaterThan(0)
  expect(totals).toMatchObject({ crashes: 0, restarts: 0, mailbox_full: 0 })
  expect(pools.database.map(({ pool }: { pool: string }) => pool)).toContain('hot')
  expect(pools.workers).toContainEqual(expect.objectContaining({ threads: expect.any(Number), waiting: 0 }))
})

test('the actors of a kind come in pages, each once, and a kind that there is not has none', async () => {
  const all = await look('?kind=conversation')
  expect(all.items.length).toBeGreaterThanOrEqual(5)
  expect(all.items[0]).toMatchObject({ kind: 'conversation', restarts: 0, mailbox: { waiting: 0 } })
  const keys: string[] = []
  let cursor: number | null = 0
  while (cursor !== null) {
    const page: { items: { key: string }[]; next_cursor: number | null } = await look(
      `?kind=conversation&limit=2&cursor=${cursor}`,
    )
    keys.push(...page.items.map(({ key }) => key))
    cursor = page.next_cursor
  }
  expect(keys).toEqual(all.items.map(({ key }: { key: string }) => key))
  expect((await look('?kind=nothing')).items).toEqual([])
})
