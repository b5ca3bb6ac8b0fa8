/** Tickets: what a browser shows instead of a key. Good for one conversation and a few minutes; nothing is stored. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Clock } from '../../runtime/time/clock.ts'
import type { ConversationId, WorkspaceId } from '../../store/id.ts'
import type { Credential } from './credential.ts'

export interface Ticket {
  workspaceId: WorkspaceId
  conversationId: ConversationId
  /** True: the conversation is made with its first message. */
  isNew: boolean
  expiresAtMs: number
  /** What it was made with, and ends with. */
  maker: Credential
}

export interface Tickets {
  issue(ticket: Ticket): string
  /** Undefined for what is no ticket of this start of the service, or was one. */
  read(text: string): Ticket | undefined
}

const prefix = 'wt_'
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const isTicket = (text: string): boolean => text.startsWith(prefix)

/**
 * Sealed, and not only signed: a page could try words against the digest of a maker's key that somebody has chosen. The key
 * lives as long as the process: after a restart whoever has a key of the service asks for a new ticket.
 * @param key 32 bytes
 */
export function tickets(clock: Clock, key: Buffer = randomBytes(32)): Tickets {
  function unsealed(bytes: Buffer): string | undefined {
    const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    opener.setAuthTag(bytes.subarray(-tagBytes))
    const text = opener.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8')
    try {
      return text + opener.final('utf8')
    } catch {
      return undefined // it was not made with this key, or was changed
    }
  }

  return {
    issue(ticket) {
      const nonce = randomBytes(nonceBytes)
      const sealer = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
      const sealed = [nonce, sealer.update(JSON.stringify(ticket), 'utf8'), sealer.final(), sealer.getAuthTag()]
      return prefix + Buffer.concat(sealed).toString('base64url')
    },
    read(text) {
      const [, sealed = ''] = /^wt_([\w-]{40,1000})$/.exec(text) ?? []
      const bytes = Buffer.from(sealed, 'base64url')
      // One text for each ticket: decoding lets bits and letters behind the last byte pass.
      const isWhole = bytes.length > nonceBytes + tagBytes && bytes.toString('base64url') === sealed
      const payload = isWhole ? unsealed(bytes) : undefined
      if (payload === undefined) return undefined
      const ticket = JSON.parse(payload) as Ticket
      return ticket.expiresAtMs > clock.now() ? ticket : undefined
    },
  }
}
