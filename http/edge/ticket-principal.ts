/** Whoever shows a ticket: a caller who may do what a chat key may, in one conversation, as long as its maker could make it. */
import { key, type Principal, type Scope } from '../access.ts'
import type { App } from '../app.ts'
import { bindCredential } from '../auth/credential.ts'
import { roleMay } from '../auth/permissions.ts'
import { revalidate } from '../auth/revalidate.ts'
import { type ApiError, unauthorized } from '../error.ts'
import { isStillPermitted } from './admission.ts'

const chatOnly: ReadonlySet<Scope> = new Set<Scope>(['chat'])

/** Of the route that makes tickets. */
export const ticketIssueAccess = key('chat')

/** Browsers can send no header with an event source or a WebSocket. */
export function ticketOf(query: string): string | undefined {
  return new URLSearchParams(query).get('ticket') ?? undefined
}

/** One look at what the ticket was made with, which is no use of it. */
export async function ticketPrincipal(app: App, text: string): Promise<Principal | ApiError> {
  const ticket = app.tickets.read(text)
  if (!ticket) return ended()
  const holder = bindCredential(ticket.maker, {
    kind: 'ticket',
    keyId: null,
    workspaceId: ticket.workspaceId,
    scopes: chatOnly,
    rateLimitRpm: null,
    expiresAtMs: ticket.expiresAtMs,
    conversationId: ticket.conversationId,
    isNewConversation: ticket.isNew,
  })
  const maker = await revalidate(app, ticket.maker)
  return maker && mayStillIssue(app, maker, holder) ? holder : ended()
}

/** Whether whoever has made this holder's ticket could make it now. */
export function mayStillIssue(app: App, maker: Principal, holder: Principal): boolean {
  if (maker.workspaceId !== holder.workspaceId || !isStillPermitted(app, ticketIssueAccess, maker)) return false
  return holder.isNewConversation === true || mayShareConversation(maker)
}

/** With a ticket one reads and writes; an operator's role says whether they may, in conversations that are there. */
export function mayShareConversation({ operator }: Principal): boolean {
  return !operator || roleMay(operator.role, 'conversations.write')
}

const ended = (): ApiError => unauthorized('The ticket has ended, or is none. Ask for a new one: POST /v1/web/tickets.')
