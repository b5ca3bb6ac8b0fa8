/** From the version before, with its data in the tables, to this one. */
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { conversationWriter } from '../../src/store/conversations.ts'
import { openDatabase } from '../../src/store/database.ts'
import { loadMessages } from '../../src/store/history.ts'
import {
  firstWorkspaceId,
  newConversationId,
  newDeliveryId,
  newMessageId,
  newTurnId,
  uuidOf,
} from '../../src/store/id.ts'
import { migrate, readMigrations } from '../../src/store/migrate.ts'
import { recoverTurns } from '../../src/store/queue.ts'
import { recentTurns } from '../../src/store/turns.ts'
import { freshAddress } from '../support/database.ts'
import { turnEnd, turnStart } from './support/turns.ts'

const silent = pino({ level: 'silent' })

/** The last migration of the version before. */
const before = 1

test('a database of the version before keeps its conversations, closes what ran, and takes what is new', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  onTestFinished(drop)
  const migrations = await readMigrations()
  await migrate(address, silent, migrations.slice(0, before))
  const conversation = newConversationId()
  const running = newTurnId()
  const old = openDatabase(address)
  // As that version wrote them.
  await old.system`
    insert into conversations (id, workspace_id, last_seq) values (${uuidOf(conversation)}, ${uuidOf(firstWorkspaceId)}, 2)`
  for (const [seq, role] of [[1, 'user'] as const, [2, 'assistant'] as const]) {
    await old.system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      values (${uuidOf(conversation)}, ${seq}, ${uuidOf(newMessageId())}, ${uuidOf(firstWorkspaceId)}, ${uuidOf(newTurnId())},
        ${role}, ${JSON.stringify({ role, content: `${seq}` })}::text::jsonb)`
  }
  await old.system`
    insert into turns (id, workspace_id, conversation_id, request_id, epoch, status, model, is_stream, started_at)
    values (${uuidOf(running)}, ${uuidOf(firstWorkspaceId)}, ${uuidOf(conversation)}, 'r', 1, 'running', 'm', true, now())`
  await old.close()

  expect(await migrate(address, silent)).toEqual(migrations.slice(before).map(({ name }) => name))

  const db = openDatabase(address)
  onTestFinished(() => db.close())
  expect(await recoverTurns(db, 2, 10)).toEqual({ queued: 0, failed: 0, interrupted: 1 })
  expect(await recentTurns(db, firstWorkspaceId, { before: null, limit: 5 })).toMatchObject([
    { id: running, status: 'interrupted' },
  ])
  const writer = conversationWriter(db, 2)
  const turn = turnStart({ conversationId: conversation })
  const message = (role: string, content: string) => ({ id: newMessageId(), role, body: { role, content } })
  const at = { conversation, workspaceId: firstWorkspaceId }
  await writer.accept({ ...at, isNew: false, messages: [message('user', '3')], turn, origin: 'call' })
  const delivery = { id: newDeliveryId(), expiresAt: new Date() }
  await writer.answer({ ...at, turn: turn.id, end: turnEnd(), message: message('assistant', '4'), delivery })
  await writer.close()
  const messages = (await loadMessages(db, firstWorkspaceId, conversation, 10)) ?? []
  expect(messages.map(({ body }) => (body as { content: string }).content)).toEqual(['1', '2', '3', '4'])
  // It belongs to no channel: there is nowhere to deliver to.
  expect(await db.system`select id from deliveries`).toEqual([])
})
