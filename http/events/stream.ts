/** `GET /v1/events/stream`: the events of a workspace, for operators, resumable. */
import { z } from 'zod'
import { isCursor } from '../../store/events/cursor.ts'
import { ConversationId } from '../../store/id.ts'
import { admin, isPermitted, type Principal } from '../access.ts'
import { channelOf } from '../admin/channels/of-workspace.ts'
import { eventStream } from '../answer.ts'
import type { Permission } from '../auth/permissions.ts'
import { badRequest } from '../error.ts'
import { route } from '../route.ts'
import { follow } from './follow.ts'
import { SseSink } from './sse-sink.ts'

const kindsMax = 50

/** Whoever may read the feed needs this too for them. */
const permissionOf: Readonly<Record<string, Permission>> = { 'audit.added': 'audit.read' }

const hiddenFrom = (principal: Principal): string[] =>
  Object.keys(permissionOf).filter((kind) => !isPermitted(principal, admin(permissionOf[kind] as Permission)))

export const streamEvents = route({
  method: 'GET',
  path: '/v1/events/stream',
  summary: 'Follow the events of the workspace',
  description:
    'Server-sent events, each with its cursor as id. Last-Event-ID or cursor resumes after that event; without either only ' +
    'new events are sent. A cursor older than the retention is answered with a reset event. `audit.added` is for ' +
    'who may read the audit log.',
  tag: 'events',
  access: admin('events.read'),
  headers: ['last-event-id'],
  query: z.object({
    kinds: z
      .string()
      .max(2_000)
      .transform((text) => text.split(',').map((kind) => kind.trim()))
      .pipe(
        z
          .array(z.string().regex(/^[a-z_]+\.[a-z_]+$/, 'must be kinds such as message.created, with commas between'))
          .max(kindsMax),
      )
      .optional(),
    conversation_id: ConversationId.optional(),
    channel: z.string().max(64).optional(),
    cursor: z.string().max(64).optional(),
  }),
  answers: { 200: { contentType: 'text/event-stream', description: 'Events, as they happen.' } },
  async handle(call) {
    const { services, clock } = call.app
    const { kinds, conversation_id: conversationId, channel, cursor } = call.query
    const from = call.header('last-event-id') || (cursor ?? '')
    if (from !== '' && !isCursor(from)) throw badRequest('This is not a cursor of a feed.', 'cursor')
    const channelId = channel === undefined ? null : (await channelOf(call.app, call.principal, channel)).id
    const without = hiddenFrom(call.principal)
    const filter = { kinds: kinds ?? null, conversationId: conversationId ?? null, channelId, without }
    return eventStream({}, async (out) => {
      const sink = new SseSink(out, () => services.feed.name, clock)
      try {
        await follow(services, { workspaceId: call.principal.workspaceId, filter, cursor: from }, sink)
      } finally {
        sink.stopHeartbeat()
      }
    })
  },
})
