/** Conversations and turns on a real database, without HTTP before them: what is posted comes in the order of the test. */

import { onTestFinished } from 'vitest'
import { call } from '../../../actors/call/actor.ts'
import { conversation } from '../../../actors/conversation/actor.ts'
import type { Post } from '../../../actors/conversation/answer-posted.ts'
import { openActors } from '../../../actors/open.ts'
import { openSettings } from '../../../config/settings.ts'
import type { ModelRequest, ModelTransport } from '../../../models/transport.ts'
import { msgpack } from '../../../runtime/actor/codec.ts'
import type { System } from '../../../runtime/actor/system.ts'
import { createResolver } from '../../../runtime/network/resolver.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { loadMessages } from '../../../store/conversations/history.ts'
import type { Database } from '../../../store/database.ts'
import { type ConversationId, firstWorkspaceId, newTurnId } from '../../../store/id.ts'
import { ownerId } from '../../../store/owner-id.ts'
import { ensureWorkspace } from '../../../store/workspaces.ts'
import { agentParts } from '../../support/agent-parts.ts'
import { freshDatabase } from '../../support/database.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { ownSlots } from '../../support/slots.ts'

export interface Conversations {
  system: System
  db: Database
  /** What the model says from now on; a throw is a defect of its transport. */
  answer(reply: (request: ModelRequest) => Promise<string>): void
  /** Resolves with the answer's text. Without a conversation it is a call of its own. */
  post(content: string, to?: { conversation: ConversationId; isNew?: boolean }): Promise<string>
  /** All that is stored of it, in order. */
  texts(conversation: ConversationId): Promise<string[]>
}

export async function conversations(): Promise<Conversations> {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  const { db } = fresh
  const { log } = recordingLog()
  await ensureWorkspace(db, firstWorkspaceId, 'default')
  const leases = await ownSlots(db)
  let reply: (request: ModelRequest) => Promise<string> = async () => 'yes'
  const settings = openSettings({ environment: {}, stored: new Map() })
  const parts = await agentParts({ settings, log, clock: systemClock })
  const { system, ...actors } = openActors({
    ...{
      db,
      log,
      leases,
      clock: systemClock,
      settings,
      tools: parts.tools,
      tokens: parts.tokens,
      resolve: createResolver(),
    },
    codec: msgpack,
    masterKey() {
      throw new Error('nothing is sealed here')
    },
    model: () => transportOf((request) => reply(request)),
  })
  onTestFinished(async () => {
    await actors.stop(0)
    await actors.close()
    await parts.close()
  })

  return {
    system,
    db,
    answer(next) {
      reply = next
    },
    async post(content, to) {
      const turnId = newTurnId()
      const post: Post = {
        turnId,
        workspaceId: firstWorkspaceId,
        apiKeyId: null,
        requestId: `req_${content}`,
        isNew: to?.isNew ?? false,
        owner: ownerId('key', 'test'),
        model: 'm',
        messages: [{ role: 'user', content }],
        parameters: {},
        isStream: false,
        agent: null,
      }
      const asked = to?.conversation
        ? system.actor(conversation, to.conversation).ask('post', post)
        : system.actor(call, turnId).ask('post', post)
      const answer = await asked
      return String(answer.choices[0]?.message['content'])
    },
    async texts(id) {
      const messages = (await loadMessages(db, firstWorkspaceId, id, 10_000)) ?? []
      return messages.map(({ body }) => (body as { content: string }).content)
    },
  }
}

function transportOf(reply: (request: ModelRequest) => Promise<string>): ModelTransport {
  return {
    name: 'of the test',
    async complete(request) {
      const content = await reply(request)
      return {
        model: 'm',
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        isUsageEstimated: false,
        extra: {},
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      }
    },
    stream() {
      throw new Error('nobody streams here')
    },
    async close() {},
  }
}
