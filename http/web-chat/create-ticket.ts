/** `POST /v1/web/tickets`: a short-lived ticket for one conversation, for a browser that must not have a key. */
import { z } from 'zod'
import { conversationExists } from '../../store/conversations/history.ts'
import { ConversationId, newConversationId } from '../../store/id.ts'
import { reply } from '../answer.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import { credentialOf } from '../auth/credential.ts'
import { issue } from '../auth/issue.ts'
import { mayShareConversation, ticketIssueAccess } from '../edge/ticket-principal.ts'
import { forbidden, notFound } from '../error.ts'
import { route } from '../route.ts'

export const createTicket = route({
  method: 'POST',
  path: '/v1/web/tickets',
  issues: 'ticket',
  summary: 'Make a ticket for a web chat',
  description:
    'The ticket opens GET /v1/web/stream and /v1/web/ws for one conversation, as ?ticket= or as a Bearer credential. ' +
    'It ends after ttl_s, when the service restarts, and with the key or session that made it. Its requests and frames ' +
    'count on the rate limit of that key and come from its allowed_ips only. A stream or socket that it opened stays open ' +
    'past ttl_s, and ends with that key or session.',
  tag: 'web',
  access: ticketIssueAccess,
  body: z.strictObject({
    conversation_id: z.union([ConversationId, z.literal('new')]).default('new'),
    ttl_s: z.int().min(10).max(3_600).default(300),
  }),
  answers: {
    201: z.object({ ticket: z.string(), conversation_id: ConversationId, expires_at: z.iso.datetime() }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const isNew = body.conversation_id === 'new'
    if (!isNew && !mayShareConversation(principal))
      throw forbidden(`The role ${principal.operator?.role} lacks the permission conversations.write.`)
    const conversationId = body.conversation_id === 'new' ? newConversationId() : body.conversation_id
    if (!isNew && !(await conversationExists(app.db, reachOf(principal), conversationId)))
      throw notFound('There is no such conversation in this workspace.')
    const untilMs = app.clock.now() + body.ttl_s * 1_000
    const expiresAtMs = Math.min(untilMs, principal.expiresAtMs ?? untilMs)
    const { workspaceId } = issue(principal, { scopes: ['chat'], expiresAtMs })
    const maker = credentialOf(principal)
    const ticket = app.tickets.issue({ workspaceId, conversationId, isNew, expiresAtMs, maker })
    return reply(201, { ticket, conversation_id: conversationId, expires_at: new Date(expiresAtMs).toISOString() })
  },
})
