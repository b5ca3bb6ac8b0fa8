/** The log of two nodes, read and followed at either. */
import { expect, onTestFinished, test } from 'vitest'
import { readEvents } from '../../http/events/support/sse-reader.ts'
import { freshAddress } from '../../support/database.ts'
import { gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'

const environment = { SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64') }

interface Line {
  node: number
  id: number
  msg: string
}

async function twoNodes() {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const between = busBetween()
  const start = async () => {
    const node = await gatewayUnderTest(environment, { address, bus: (epoch: number) => between.of(epoch) })
    onTestFinished(() => node.stop())
    return node
  }
  return { nodes: [await start(), await start()] as const, between }
}

test('either node has the lines of both, page by page without a gap, and those of one alone', async () => {
  const { nodes, between } = await twoNodes()
  const [one, other] = nodes
  const read = async (query: string) => {
    const answered = await one.get(`/v1/admin/log?search=counted&${query}`)
    expect(answered.status).toBe(200)
    return (await answered.json()) as { items: Line[]; cursor: string; has_more: boolean; silent_nodes: number[] }
  }
  for (let n = 0; n < 30; n++) (n % 3 === 0 ? one : other).log.info(`counted ${n}`)
  await expect.poll(async () => (await read('')).items.length).toBe(30)
  const newest = await read('limit=7')
  expect(newest.items).toHaveLength(7)

  const seen: Line[] = []
  for (let cursor = '0-0', more = true; more; ) {
    const page = await read(`limit=7&after=${cursor}`)
    expect(page.items.length).toBeLessThanOrEqual(7)
    seen.push(...page.items)
    cursor = page.cursor
    more = page.has_more
  }
  expect(seen.map(({ msg }) => msg).sort()).toEqual(Array.from({ length: 30 }, (_, n) => `counted ${n}`).sort())
  for (const { gateway } of nodes) {
    const ids = seen.filter(({ node }) => node === gateway.node).map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  }
  const alone = await read(`node=${other.gateway.node}&limit=100`)
  expect(new Set(alone.items.map(({ node }) => node))).toEqual(new Set([other.gateway.node]))

  between.loses = () => true
  const lonely = await read('limit=100')
  expect(lonely.silent_nodes).toEqual([other.gateway.node])
  expect(lonely.items).toHaveLength(10)
})

test('whoever follows at one node hears the lines of the other, and comes back behind the last', async () => {
  const { nodes } = await twoNodes()
  const [one, other] = nodes
  const headers = { authorization: `Bearer ${testKey}` }
  const stream = `${one.url}/v1/admin/log/stream?search=followed`
  const reader = await readEvents(stream, headers)
  await reader.until(() => reader.text.includes('retry:'))
  one.log.info('followed here')
  other.log.info('followed there')
  await reader.untilKind('line', 2)
  const words = reader.of('line').map(({ data }) => (data as Line).msg)
  expect(words.toSorted()).toEqual(['followed here', 'followed there'])
  reader.leave()
  other.log.info('followed meanwhile')
  const back = await readEvents(stream, { ...headers, 'last-event-id': reader.lastId() })
  await back.untilKind('line', 1)
  expect(back.of('line').map(({ data }) => data)).toMatchObject([
    { msg: 'followed meanwhile', node: other.gateway.node },
  ])
  back.leave()
})
