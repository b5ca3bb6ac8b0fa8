/** The caller of a ticket: may do what a chat key may, in one conversation, as long as the ticket's maker could still issue it. */
import type { Scope } from '../../store/scopes.ts'
import { key, type Principal } from '../access.ts'
import type { App } from '../app.ts'
import { bindCredential } from '../auth/credential.ts'
import { roleMay } from '../auth/permissions.ts'
import { revalidate } from '../auth/revalidate.ts'
import { ApiError, unauthorized } from '../error.ts'
import { isStillPermitted } from './admission.ts'
import { addressTest } from './client-ip.ts'

const chatOnly: ReadonlySet<Scope> = new Set<Scope>(['chat'])

/** The access of the route that issues tickets. */
export const ticketIssueAccess = key('chat')

/** In the query, because browsers cannot send headers with an event source or a WebSocket. */
export function ticketOf(query: string): string | undefined {
  return new URLSearchParams(query).get('ticket') ?? undefined
}

/**
 * Looks up the maker's credential, without counting it as a use. The ticket's requests count on its maker's rate, and come
 * from its maker's addresses.
 */
export async function ticketPrincipal(app: App, text: string, clientIp: () => string): Promise<Principal | ApiError> {
  const ticket = app.tickets.read(text)
  const maker = ticket && (await revalidate(app, ticket.maker))
  if (!maker) return ended()
  const { keyId, rateKeyId = keyId, rateLimitRpm, rateLimitTpm, sharedRates, tokenRates, allowedIps = [] } = maker
  const holder = bindCredential(ticket.maker, {
    kind: 'ticket',
    keyId: null,
    payingKeyId: keyId,
    rateKeyId,
    workspaceId: ticket.workspaceId,
    owner: maker.owner,
    scopes: chatOnly,
    rateLimitRpm,
    expiresAtMs: ticket.expiresAtMs,
    allowedIps,
    ...(sharedRates && { sharedRates }),
    ...(rateLimitTpm !== undefined && { rateLimitTpm }),
    ...(tokenRates && { tokenRates }),
    conversationId: ticket.conversationId,
    isNewConversation: ticket.isNew,
  })
  if (!mayStillIssue(app, maker, holder)) return ended()
  return allowedIps.length === 0 || addressTest(allowedIps)(clientIp()) ? holder : addressRefused()
}

/** Whether the maker of this holder's ticket could still issue it now. */
export function mayStillIssue(app: App, maker: Principal, holder: Principal): boolean {
  if (maker.workspaceId !== holder.workspaceId || !isStillPermitted(app, ticketIssueAccess, maker)) return false
  return holder.isNewConversation === true || mayShareConversation(maker)
}

/** Whether the caller may issue tickets for existing conversations: a ticket permits writing, so the role must too. */
export function mayShareConversation({ operator }: Principal): boolean {
  return !operator || roleMay(operator.role, 'conversations.write')
}

const addressRefused = (): ApiError =>
  new ApiError('ip_not_allowed', 'The key that made this ticket cannot be used from this address.')

const ended = (): ApiError => unauthorized('The ticket is invalid or has ended. Get a new one: POST /v1/web/tickets.')
