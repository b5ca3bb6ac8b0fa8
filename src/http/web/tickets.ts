/** Tickets: what a browser shows instead of a key. Good for one conversation and a few minutes; nothing is stored. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import type { ConversationId, WorkspaceId } from '../../store/id.ts'

export interface Ticket {
  workspaceId: WorkspaceId
  conversationId: ConversationId
  /** True: the conversation is made with its first message. */
  isNew: boolean
  expiresAtMs: number
}

export interface Tickets {
  issue(ticket: Ticket): string
  /** Undefined for what is no ticket of this start of the service, or was one. */
  open(text: string): Ticket | undefined
}

const prefix = 'wt_'

export const isTicket = (text: string): boolean => text.startsWith(prefix)

/** The key lives as long as the process: after a restart whoever has a key asks for a new ticket. */
export function tickets(clock: Clock, key: Buffer = randomBytes(32)): Tickets {
  const seal = (payload: string) => createHmac('sha256', key).update(payload).digest()
  return {
    issue(ticket) {
      const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url')
      return `${prefix}${payload}.${seal(payload).toString('base64url')}`
    },
    open(text) {
      const [, payload, mac] = /^wt_([\w-]{1,1000})\.([\w-]{43})$/.exec(text) ?? []
      if (payload === undefined || mac === undefined) return undefined
      if (!timingSafeEqual(seal(payload), Buffer.from(mac, 'base64url'))) return undefined
      const ticket = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Ticket
      return ticket.expiresAtMs > clock.now() ? ticket : undefined
    },
  }
}
