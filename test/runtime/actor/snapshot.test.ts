/** The supervision tree as it is seen from outside: counted by kind, and in pages that miss nobody. */
import { expect, onTestFinished, test } from 'vitest'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'

const leaf = defineTestActor({
  kind: 'leaf',
  key: anyKey,
  mailbox: { capacity: 4 },
  supervision: briefSupervision,
  start: () => ({}),
  receive: { ask: () => 1 },
})

const tree = defineTestActor({
  kind: 'tree',
  key: anyKey,
  mailbox: { capacity: 8 },
  supervision: briefSupervision,
  start: () => ({ held: Promise.withResolvers<void>() }),
  receive: {
    grow: async (context, { leaves }: { leaves: number }) => {
      for (let n = 0; n < leaves; n++) await context.child(leaf, `l${n}`).ask('ask', {})
    },
    hold: (context) => context.state.held.promise,
    crash(): void {
      throw new Error('boom')
    },
  },
})

function planted() {
  const made = testSystem()
  onTestFinished(async () => {
    const stopping = made.system.stop(0)
    await made.clock.advance(10_000)
    await stopping
  })
  return made
}

test('actors of a kind are counted with what waits in their mailboxes, their restarts and their age', async () => {
  const { system, clock } = planted()
  await system.actor(tree, 'a').ask('grow', { leaves: 0 })
  await clock.advance(5_000)
  void system
    .actor(tree, 'b')
    .ask('hold', {})
    .catch(() => {})
  for (let n = 0; n < 3; n++)
    void system
      .actor(tree, 'b')
      .ask('hold', {})
      .catch(() => {})
  await Promise.resolve()
  await Promise.resolve()
  expect(system.kinds()).toMatchObject([
    { kind: 'tree', supervisor: 'trees', actors: 2, statuses: { running: 2 }, mailboxCapacity: 8, oldestMs: 5_000 },
  ])
  const [{ mailboxDepth, mailboxDepthMax } = { mailboxDepth: 0, mailboxDepthMax: 0 }] = system.kinds()
  expect(mailboxDepth).toBe(mailboxDepthMax)
  expect(mailboxDepth).toBeGreaterThanOrEqual(3)
})

test('a crashed actor shows its restart', async () => {
  const { system, clock } = planted()
  await expect(system.actor(tree, 'a').ask('crash', {})).rejects.toThrow()
  await clock.advance(60_000)
  await system.actor(tree, 'a').ask('grow', { leaves: 0 })
  expect(system.page('tree', { after: 0, limit: 9 })).toMatchObject([{ key: 'a', restarts: 1, status: 'running' }])
})

test('pages contain each actor of a kind once, also while others are added', async () => {
  const { system } = planted()
  for (let n = 0; n < 25; n++) await system.actor(tree, `t${n}`).ask('grow', { leaves: 0 })
  const pageKeys: string[] = []
  let after = 0
  for (;;) {
    const page = system.page('tree', { after, limit: 10 })
    if (page.length === 0) break
    expect(page.length).toBeLessThanOrEqual(10)
    pageKeys.push(...page.map(({ key }) => key))
    after = page.at(-1)?.serial ?? after
    if (pageKeys.length < 30) await system.actor(tree, `late${pageKeys.length}`).ask('grow', { leaves: 0 })
  }
  expect(new Set(pageKeys).size).toBe(pageKeys.length)
  expect(pageKeys).toEqual(expect.arrayContaining(Array.from({ length: 25 }, (_, n) => `t${n}`)))
  expect(system.page('nothing', { after: 0, limit: 10 })).toEqual([])
})

test('of many children the first are shown, with their number', async () => {
  const { system } = planted()
  await system.actor(tree, 'a').ask('grow', { leaves: 30 })
  const [found] = system.page('tree', { after: 0, limit: 1 })
  expect(found).toMatchObject({ childCount: 30 })
  expect(found?.children).toHaveLength(20)
  expect(found?.children[0]).toMatchObject({ path: 'trees/a/l0', kind: 'leaf', mailboxCapacity: 4 })
})
