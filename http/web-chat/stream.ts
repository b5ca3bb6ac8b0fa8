/** `GET /v1/web/stream`: one conversation for a web chat: its events, and the text of a running turn. */
import { z } from 'zod'
import { cursorOf } from '../../store/events/cursor.ts'
import { ConversationId } from '../../store/id.ts'
import { web } from '../access.ts'
import { eventStream } from '../answer.ts'
import { sse } from '../events/event-text.ts'
import { type EventSink, follow } from '../events/follow.ts'
import { SseSink } from '../events/sse-sink.ts'
import { route } from '../route.ts'
import { conversationOf } from './conversation-of.ts'
import { parseWebCursor, placeText } from './cursor.ts'
import { LiveDeltas } from './live-deltas.ts'

export const streamConversation = route({
  method: 'GET',
  path: '/v1/web/stream',
  summary: 'Follow one conversation',
  description:
    'Server-sent events: message.created, turn.started, turn.delta (text of the answer as it comes), turn.completed and ' +
    'so on. Last-Event-ID or cursor resumes, also in the middle of an answer.',
  tag: 'web',
  access: web('conversations.read'),
  headers: ['last-event-id'],
  query: z.object({
    conversation_id: ConversationId.optional().describe('With a key; a ticket has its conversation.'),
    ticket: z.string().max(2_000).optional(),
    cursor: z.string().max(120).optional(),
  }),
  answers: { 200: { contentType: 'text/event-stream', description: 'Events, as they happen.' } },
  async handle(call) {
    const { services, clock } = call.app
    const { workspaceId } = call.principal
    const from = parseWebCursor(call.header('last-event-id') || (call.query.cursor ?? ''))
    const conversationId = await conversationOf(call, call.query.conversation_id)
    return eventStream({}, async (out) => {
      const sink = new SseSink(out, () => services.feed.name, clock)
      const deltas = new LiveDeltas(services, conversationId, from.place, (turnId, offset, text) => {
        const place = placeText({ turnId, offset: offset + text.length })
        const cursor = sink.position && cursorOf(services.feed.name, sink.position) + place
        out.write(sse('turn.delta', cursor, { kind: 'turn.delta', cursor, turn_id: turnId, offset, text }))
      })
      try {
        const filter = { kinds: null, conversationId, channelId: null }
        await follow(services, { workspaceId, filter, cursor: from.cursor }, withDeltas(sink, deltas))
      } finally {
        deltas.close()
        sink.stopHeartbeat()
      }
    })
  },
})

/** The same sink, with the deltas at the right place between the events. */
export function withDeltas(sink: EventSink, deltas: LiveDeltas): EventSink {
  return {
    event(event) {
      deltas.beforeEvent(event)
      const hasRoom = sink.event(event, deltas.place && placeText(deltas.place))
      deltas.afterEvent(event)
      return hasRoom
    },
    reset: (reason, cursor) => sink.reset(reason, cursor),
    live(position) {
      // The place goes with it: a reader who disconnects before the next delta can still resume.
      sink.live(position, deltas.place && placeText(deltas.place))
      deltas.caughtUp(position)
    },
    room: () => sink.room(),
    end: () => sink.end(),
    signal: sink.signal,
  }
}
