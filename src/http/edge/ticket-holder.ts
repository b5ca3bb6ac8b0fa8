/** Whoever shows a ticket: a caller who may do what a chat key may, in one conversation. */
import type { Principal, Scope } from '../access.ts'
import { type ApiError, unauthorized } from '../error.ts'
import type { Ticket } from '../web/tickets.ts'

const chatOnly: ReadonlySet<Scope> = new Set<Scope>(['chat'])

/** Browsers can send no header with an event source or a WebSocket. */
export function ticketOf(query: string): string | undefined {
  return new URLSearchParams(query).get('ticket') ?? undefined
}

export function ticketHolder(ticket: Ticket | undefined): Principal | ApiError {
  if (!ticket) return unauthorized('The ticket has ended, or is none. Ask for a new one: POST /v1/web/tickets.')
  return {
    kind: 'ticket',
    keyId: null,
    workspaceId: ticket.workspaceId,
    scopes: chatOnly,
    rateLimitRpm: null,
    expiresAtMs: ticket.expiresAtMs,
    conversationId: ticket.conversationId,
    isNewConversation: ticket.isNew,
  }
}
