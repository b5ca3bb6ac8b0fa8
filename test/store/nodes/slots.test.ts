/** Nodes, slots and leases in the database: who lives, who has what, and what is refused to those who had it before. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { slotCount, slotOf } from '../../../runtime/nodes/slot.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { createChannel, type StoredChannel } from '../../../store/channels.ts'
import { conversationWriter } from '../../../store/conversations/conversations.ts'
import { firstWorkspaceId, newConversationId, newMessageId, newTurnId, uuidOf } from '../../../store/id.ts'
import { heartBeat, livingNodes, loseNodes, retireNode } from '../../../store/nodes/nodes.ts'
import { giveSlots, readSlots, takeSlots } from '../../../store/nodes/slots.ts'
import { ownerId } from '../../../store/owner-id.ts'
import { claimWriter, recoverTurns } from '../../../store/turns/queue.ts'
import { stepsOf, stepWriter, TurnMoved } from '../../../store/turns/steps.ts'
import { turnWriter } from '../../../store/turns/turns.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { registeredNode } from '../../support/registered-node.ts'
import { ownSlots } from '../../support/slots.ts'
import { claimed, messageOf } from '../support/channel.ts'
import { step } from '../support/steps.ts'
import { turnEnd, turnStart } from '../support/turns.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
})
afterEach(() => fresh.drop())

/** All of them, under the leases that they have now. */
const all = () => readSlots(fresh.db)
const register = (leaseMs?: number) => registeredNode(fresh.db, leaseMs)
const living = async () => (await livingNodes(fresh.db)).map(({ epoch }) => epoch)

async function channelOf(sender: string) {
  const open = { secrets: null, isEnabled: true, isPaused: false, config: {} }
  const channel: StoredChannel = await createChannel(fresh.db, firstWorkspaceId, {
    ...{ name: 'shop', adapter: 'generic', ...open },
  })
  await fresh.db.system`
    insert into channel_bindings (channel_id, external_id, workspace_id, role, created_by)
    values (${uuidOf(channel.id)}, ${sender}, ${uuidOf(firstWorkspaceId)}, 'user', 'test')`
  return channel
}

test('a node that does not say in time that it lives is lost, and lives again when it says so', async () => {
  const [quick, slow] = [await register(0), await register()]
  expect(await loseNodes(fresh.db, slow, false)).toEqual([quick])
  expect(await loseNodes(fresh.db, slow, false)).toEqual([])
  expect(await living()).toEqual([slow])
  expect(await heartBeat(fresh.db, { epoch: quick, leaseMs: 60_000 })).toMatchObject({ wasKept: false })
  expect(await heartBeat(fresh.db, { epoch: quick, leaseMs: 60_000 })).toMatchObject({
    wasKept: true,
    isDraining: false,
  })
  expect(await living()).toEqual([quick, slow])
})

test('a start of a version that does not say that it lives counts as lost', async () => {
  await fresh.db.system`insert into instances (version, pid) values ('0.2.0', 7)`
  const node = await register()
  expect(await living()).toEqual([node])
  expect(await loseNodes(fresh.db, node, false)).toHaveLength(1)
})

test('only what no living node has can be taken, each time under a higher lease', async () => {
  const [first, second] = [await register(), await register()]
  expect(await takeSlots(fresh.db, first, await all())).toHaveLength(slotCount)
  expect(await takeSlots(fresh.db, second, await all())).toEqual([])
  await retireNode(fresh.db, first)
  const taken = await takeSlots(fresh.db, second, (await all()).slice(3, 5))
  expect(taken.map(({ slot, lease }) => [slot, lease]).sort()).toEqual([
    [3, 2],
    [4, 2],
  ])
  expect((await readSlots(fresh.db)).filter(({ node }) => node === second)).toHaveLength(2)
})

test('of two nodes that take at once each slot is one’s', async () => {
  const nodes = await Promise.all([register(), register(), register()])
  const free = await all()
  const taken = await Promise.all(nodes.map((node) => takeSlots(fresh.db, node, free)))
  expect(taken.flat().map(({ slot }) => slot)).toHaveLength(slotCount)
})

test('what is handed over is the other node’s under a higher lease; what one does not have it cannot hand over', async () => {
  const [first, second] = [await register(), await register()]
  await takeSlots(fresh.db, first, await all())
  expect(await giveSlots(fresh.db, { from: second, to: first }, [1])).toEqual([])
  expect(await giveSlots(fresh.db, { from: first, to: second }, [1, 2])).toHaveLength(2)
  expect((await readSlots(fresh.db))[1]).toEqual({ slot: 1, node: second, lease: 2 })
})

test('the database finds the slot of an identifier that this process finds', async () => {
  for (let at = 0; at < 100; at++) {
    const id = newConversationId()
    const [row] = await fresh.db.system<{ slot: number }>`select service_slot(${uuidOf(id)}::uuid) as slot`
    expect(row?.slot).toBe(slotOf(id))
  }
})

test('a node claims nothing in a slot that it no longer has, nor under an earlier lease', async () => {
  await ownSlots(fresh.db, 1)
  const conversation = await messageOf(fresh.db, await channelOf('anna'), 'anna')
  await ownSlots(fresh.db, 2)
  const claim = async (node: number, lease: number) => {
    const claims = claimWriter(fresh.db, node)
    const turn = await claims.claim({ conversation, lease, isMerged: false })
    await claims.close()
    return turn
  }
  expect(await claim(1, 1)).toBeNull()
  expect(await claim(1, 2)).toBeNull()
  expect(await claim(2, 1)).toBeNull()
  expect(await claim(2, 2)).toMatchObject({ lease: 2, attempt: 1 })
})

test('a post to a conversation whose slot has moved is not stored', async () => {
  await ownSlots(fresh.db, 1)
  const writer = conversationWriter(fresh.db, 1)
  const conversation = newConversationId()
  const post = (lease: number | null, origin: 'call' | 'web') =>
    writer.accept({
      ...{ conversation, lease, workspaceId: firstWorkspaceId, isNew: true, owner: ownerId('key', 'test'), origin },
      messages: [{ id: newMessageId(), role: 'user', body: { role: 'user', content: 'hello' } }],
      turn: turnStart({ conversationId: conversation }),
    })
  await ownSlots(fresh.db, 2)
  expect(await post(1, 'call')).toBe('moved')
  const [stored] = await fresh.db.system<{ n: number }>`select count(*)::integer as n from messages`
  expect(stored?.n).toBe(0)
  // One that waits in the queue is stored by any node.
  expect(await post(null, 'web')).toMatchObject({ seq: 1 })
  await writer.close()
})

test('a turn that was taken over takes no step, no answer and no end of the node that had it', async () => {
  await ownSlots(fresh.db, 1)
  const conversation = await messageOf(fresh.db, await channelOf('anna'), 'anna')
  const turn = await claimed(fresh.db, conversation)
  const steps = stepWriter(fresh.db, 1)
  await steps.write(1, step({ turnId: turn.id, n: 1, conversationId: conversation }))
  await ownSlots(fresh.db, 2)
  expect(await recoverTurns(fresh.db, 2, 10)).toEqual({ queued: 1, failed: 0, interrupted: 0 })
  // With those of another turn in one batch.
  const other = newTurnId()
  const [late, fine] = await Promise.allSettled([
    steps.write(1, step({ turnId: turn.id, n: 2, conversationId: conversation })),
    steps.write(null, step({ turnId: other, n: 1 })),
  ])
  expect(late).toMatchObject({ status: 'rejected', reason: expect.any(TurnMoved) })
  expect(fine?.status).toBe('fulfilled')
  expect(await stepsOf(fresh.db, firstWorkspaceId, turn.id)).toMatchObject([{ n: 1 }])
  expect(await stepsOf(fresh.db, firstWorkspaceId, other)).toHaveLength(1)
  await steps.close()
  const writer = conversationWriter(fresh.db, 1)
  const answer = { conversation, lease: 1, workspaceId: firstWorkspaceId, turn: turn.id, end: turnEnd() }
  expect(await writer.answer({ ...answer, message: null, delivery: null })).toBe('fenced')
  await writer.close()
})

test('the end of a call that was closed because its node was taken for dead changes nothing', async () => {
  const node = await register(0)
  const turns = turnWriter(fresh.db, node, systemClock)
  const start = turnStart()
  const record = turns.begin(start)
  await record.known
  const other = await register()
  await loseNodes(fresh.db, other, false)
  expect(await recoverTurns(fresh.db, other, 10)).toMatchObject({ interrupted: 1 })
  await record.end(turnEnd())
  await turns.close()
  const [row] = await fresh.db.system<{ status: string }>`select status from turns where id = ${uuidOf(start.id)}`
  expect(row?.status).toBe('interrupted')
})
