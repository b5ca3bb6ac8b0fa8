/** Whoever shows a ticket: a caller who may do what a chat key may, in one conversation, as long as its maker could make it. */
import { key, type Principal, type Scope } from '../access.ts'
import type { App } from '../app.ts'
import { letInBy, lookAgain } from '../auth/credential.ts'
import { roleMay } from '../auth/permissions.ts'
import { type ApiError, unauthorized } from '../error.ts'
import { isLastingPermitted } from './admission.ts'

const chatOnly: ReadonlySet<Scope> = new Set<Scope>(['chat'])

/** Of the route that makes tickets. */
export const makersAccess = key('chat')

/** Browsers can send no header with an event source or a WebSocket. */
export function ticketOf(query: string): string | undefined {
  return new URLSearchParams(query).get('ticket') ?? undefined
}

/** One look at what the ticket was made with, which is no use of it. */
export async function ticketHolder(app: App, text: string): Promise<Principal | ApiError> {
  const ticket = app.tickets.open(text)
  if (!ticket) return ended()
  const holder = letInBy(ticket.maker, {
    kind: 'ticket',
    keyId: null,
    workspaceId: ticket.workspaceId,
    scopes: chatOnly,
    rateLimitRpm: null,
    expiresAtMs: ticket.expiresAtMs,
    conversationId: ticket.conversationId,
    isNewConversation: ticket.isNew,
  })
  const maker = await lookAgain(app, ticket.maker)
  return maker && isStillMaker(app, maker, holder) ? holder : ended()
}

/** Whether whoever has made this holder's ticket could make it now. */
export function isStillMaker(app: App, maker: Principal, holder: Principal): boolean {
  if (maker.workspaceId !== holder.workspaceId || !isLastingPermitted(app, makersAccess, maker)) return false
  return holder.isNewConversation === true || mayGiveAway(maker)
}

/** With a ticket one reads and writes; an operator's role says whether they may, in conversations that are there. */
export function mayGiveAway({ operator }: Principal): boolean {
  return !operator || roleMay(operator.role, 'conversations.write')
}

const ended = (): ApiError => unauthorized('The ticket has ended, or is none. Ask for a new one: POST /v1/web/tickets.')
