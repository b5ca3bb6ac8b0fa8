/** The inbox through the whole gateway: what waits for a person, with what is needed to decide it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstWorkspaceId, newTurnId } from '../../../store/id.ts'
import { stepWriter } from '../../../store/turns/steps.ts'
import { type Body, type Supervised, supervised } from '../../actors/approvals/support/supervised.ts'
import { answer, ask, calls, makeAgent, textOf } from '../../actors/turn/support/agents.ts'
import { step } from '../../store/support/steps.ts'

let our: Supervised
beforeAll(async () => {
  our = await supervised()
  await makeAgent(our.service, 'clerk', { tools: ['http_request'] })
  await makeAgent(our.service, 'default', { tools: ['http_request'] })
  await our.makeChannel('shop')
})
afterAll(() => our.stop())

const read = async (path: string): Promise<Body> => {
  const answered = await our.service.get(`/v1/admin/inbox${path}`)
  expect(answered.status).toBe(200)
  return answered.json()
}
const countOf = async (kind: string) => (await read('/count')).kinds.find((entry: Body) => entry.kind === kind)

test('an approval comes with who asked, what led to it, what happens then and what was decided before', async () => {
  expect(await read('')).toEqual({
    total: 0,
    kinds: [
      { kind: 'approval', count: 0, oldest_at: null },
      { kind: 'unknown_effect', count: 0, oldest_at: null },
    ],
    items: [],
  })

  for (const [decision, reason] of [
    ['approve', undefined],
    ['refuse', 'too dear'],
  ] as const) {
    our.service.endpoint.script(calls(our.effect('/order')), answer('Done.'))
    const pendingAnswer = ask(our.service, 'default', 'Order it')
    const [asked] = await our.pending()
    await our.decide(asked.id, decision, reason)
    expect(textOf(await pendingAnswer)).toBe('Done.')
  }

  our.service.endpoint.script(calls(our.effect('/anna')))
  const anna = await our.say('shop', 'anna', 'Order it for me')
  const [asked] = await our.pending()
  const { total, items } = await read('?kind=approval')
  expect(total).toBe(1)
  expect(await countOf('approval')).toMatchObject({ count: 1, oldest_at: asked.requested_at })
  expect(items).toEqual([
    {
      kind: 'approval',
      id: asked.id,
      since: asked.requested_at,
      expires_at: asked.expires_at,
      agent: 'default',
      tool: 'http_request',
      arguments: asked.arguments,
      path: '',
      n: expect.any(Number),
      turn_id: asked.turn_id,
      conversation_id: anna,
      asked_by: {
        origin: 'channel',
        title: null,
        channel: 'shop',
        sender: 'anna',
        sender_name: null,
        api_key: null,
        operator: null,
      },
      said: [{ role: 'user', text: 'Order it for me' }],
      effect: { description: expect.stringContaining('HTTP'), risk: 'write', idempotency: 'once' },
      precedents: {
        approved: 1,
        refused: 1,
        newest: [
          { status: 'refused', by: expect.any(String), reason: 'too dear', at: expect.any(String) },
          { status: 'approved', by: expect.any(String), reason: null, at: expect.any(String) },
        ],
      },
    },
  ])
  our.service.endpoint.script(answer('Not ordered.'), calls(our.effect('/instead')))
  await our.decide(asked.id, 'refuse')
  await expect.poll(async () => (await read('?kind=approval')).items).toEqual([])
  const posted = await our.service.post('/v1/admin/conversations/post', { conversation_id: anna, text: 'Then this' })
  expect(posted.status).toBe(200)
  const [instead] = await our.pending()
  const [item] = (await read('?kind=approval')).items
  // An operator's words are not the sender's.
  expect(item.said.at(-1)).toEqual({ role: 'operator', text: 'Then this' })
  expect(item.said[0]).toEqual({ role: 'user', text: 'Order it for me' })
  our.service.endpoint.script(answer('Neither.'))
  await our.decide(instead.id, 'refuse')
  await expect.poll(async () => (await read('?kind=approval')).items).toEqual([])
})

test('a call with an unknown effect waits too, also one whose turn is not there any more', async () => {
  const turnId = newTurnId()
  const steps = stepWriter(our.service.db, 1)
  const unknown = step({ turnId, workspaceId: firstWorkspaceId, kind: 'tool', status: 'unknown', name: 'http_request' })
  await steps.write(null, unknown)
  await steps.close()
  expect(await countOf('unknown_effect')).toMatchObject({ count: 1 })
  const { items } = await read('?kind=unknown_effect')
  expect(items).toMatchObject([
    {
      id: `${turnId} ${unknown.path} ${unknown.n}`,
      turn_id: turnId,
      n: unknown.n,
      agent: null,
      asked_by: null,
      said: [],
    },
  ])
  const resolved = await our.service.post('/v1/admin/turns/unknown-effects/resolve', {
    turn_id: turnId,
    path: unknown.path,
    n: unknown.n,
    outcome: 'failed',
  })
  expect(resolved.status).toBe(200)
  expect((await read('')).items).toEqual([])
})

test('an unknown kind has nothing, and bounds are bounds', async () => {
  expect((await read('?kind=nothing')).items).toEqual([])
  for (const query of ['limit=0', 'limit=101'])
    expect((await our.service.get(`/v1/admin/inbox?${query}`)).status).toBe(400)
})
