/** A change and its entry in the audit log are one: neither is there without the other. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuditActor, digestOf, listAudit, writeAudit } from '../../store/audit/audit.ts'
import { forkConversation } from '../../store/conversations/copies.ts'
import { countConversations, readConversation } from '../../store/conversations/list.ts'
import { postMessage, regenerateAnswer } from '../../store/conversations/turns.ts'
import { organizeConversation, resetConversation } from '../../store/conversations/writes.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newConversationId,
  newMessageId,
  newTurnId,
  uuidOf,
} from '../../store/id.ts'
import { countAll } from '../../store/signals/overview.ts'
import { listTurns } from '../../store/turns/list.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
let id: ConversationId
const workspaceId = firstWorkspaceId
const actor: AuditActor = { workspaceId, name: 'key_1', ip: '::1', requestId: 'r' }
/** Of whom no entry can be written: the column takes no null. */
const unwritable = {
  ...actor,
  get ip(): string {
    return undefined as unknown as string
  },
}
const turn = () => ({ id: newTurnId(), apiKeyId: null, operatorId: null, node: 1 })
const message = () => ({ id: newMessageId(), role: 'user', body: { role: 'user', content: 'x' } })

beforeAll(async () => {
  fresh = await freshDatabase()
  id = newConversationId()
  await fresh.db.forWorkspace(workspaceId)`
    insert into conversations (id, workspace_id, title) values (${uuidOf(id)}, ${uuidOf(workspaceId)}, 'a talk')`
  expect(await postMessage(fresh.db, actor, { conversation: id, message: message(), turn: turn() })).toBe('posted')
  await fresh.db.forWorkspace(workspaceId)`update turns set status = 'completed'`
})
afterAll(() => fresh.drop())

test('a change whose entry cannot be written is not made', async () => {
  const { db } = fresh
  const before = await readConversation(db, workspaceId, id)
  const attempts = [
    organizeConversation(db, unwritable, id, { folder: 'x', tags: undefined }),
    resetConversation(db, unwritable, id),
    postMessage(db, unwritable, { conversation: id, message: message(), turn: turn() }),
    regenerateAnswer(db, unwritable, id, turn()),
    forkConversation(db, unwritable, { source: id, id: newConversationId(), until: null, title: null }),
  ]
  for (const attempt of await Promise.allSettled(attempts)) expect(attempt.status).toBe('rejected')
  expect(await readConversation(db, workspaceId, id)).toEqual(before)
  expect(await countConversations(db, workspaceId, {}, 10)).toBe(1)
  expect(await listTurns(db, workspaceId, { conversation: id }, { offset: 0, limit: 10 })).toHaveLength(1)
})

test('a change that is rolled back leaves no entry', async () => {
  const before = await listAudit(fresh.db, workspaceId, { before: null, limit: 100 })
  const undone = fresh.db.transaction(workspaceId, async (query) => {
    await writeAudit(query, { actor, action: 'test', target: null })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await listAudit(fresh.db, workspaceId, { before: null, limit: 100 })).toEqual(before)
})

test('a digest does not depend on the order of names, and null has none', () => {
  expect(digestOf({ a: 1, b: [2] })).toBe(digestOf({ b: [2], a: 1 }))
  expect(digestOf({ a: 1 })).not.toBe(digestOf({ a: 2 }))
  expect(digestOf({ a: 1 })).toMatch(/^[0-9a-f]{64}$/)
  expect([digestOf(null), digestOf(undefined)]).toEqual([null, null])
})

test('counts of an overview stop at their bound and report that', async () => {
  const since = new Date(Date.now() - 60_000)
  expect(await countAll(fresh.db, workspaceId, since, 1)).toMatchObject({
    ...{ conversations: 1, messages: 1, turns: { completed: 1 } },
    atLeast: ['conversations', 'messages', 'turns'],
  })
  expect((await countAll(fresh.db, workspaceId, since, 10)).atLeast).toEqual([])
})
