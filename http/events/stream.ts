/** `GET /v1/events/stream`: the events of a workspace, for operators, resumable. */
import { z } from 'zod'
import { isCursor } from '../../store/events/cursor.ts'
import { ConversationId } from '../../store/id.ts'
import { admin } from '../access.ts'
import { channelOf } from '../admin/channels/of-workspace.ts'
import { eventStream } from '../answer.ts'
import { badRequest } from '../error.ts'
import { route } from '../route.ts'
import { follow } from './follow.ts'
import { SseSink } from './sse-sink.ts'

const kindsMax = 50

export const streamEvents = route({
  method: 'GET',
  path: '/v1/events/stream',
  summary: 'Follow the events of the workspace',
  description:
    'Server-sent events, each with its cursor as id. Last-Event-ID or cursor resumes after that event; without either only ' +
    'new events are sent. A cursor older than the retention is answered with a reset event.',
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
    const filter = { kinds: kinds ?? null, conversationId: conversationId ?? null, channelId }
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
