/** Tickets: a browser's credential instead of a key, valid for one conversation and a few minutes. Nothing is stored. */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import type { Clock } from '../../runtime/time/clock.ts'
import type { ConversationId, WorkspaceId } from '../../store/id.ts'
import type { Credential } from './credential.ts'

export interface Ticket {
  workspaceId: WorkspaceId
  conversationId: ConversationId
  /** True: the conversation is created with its first message. */
  isNew: boolean
  expiresAtMs: number
  /** The credential that it was issued to, and with which it ends. */
  maker: Credential
}

export interface Tickets {
  issue(ticket: Ticket): string
  /** Undefined for an expired ticket, one under another key, or other text. */
  read(text: string): Ticket | undefined
}

const prefix = 'wt_'
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const isTicket = (text: string): boolean => text.startsWith(prefix)

/**
 * Encrypted, not only signed: a ticket contains the digest of its maker's key, and a key that somebody chose themselves
 * could be guessed from it.
 * @param key 32 bytes, the same at all nodes. Absent: one that lives as long as the process; after a restart tickets are issued anew
 */
export function tickets(clock: Clock, key: Buffer | KeyObject = randomBytes(32)): Tickets {
  function unsealed(bytes: Buffer): string | undefined {
    const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    opener.setAuthTag(bytes.subarray(-tagBytes))
    const text = opener.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8')
    try {
      return text + opener.final('utf8')
    } catch {
      return undefined // sealed with another key, or changed
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
      // Exactly one text for each ticket: decoding ignores trailing bits and unknown letters.
      const isWhole = bytes.length > nonceBytes + tagBytes && bytes.toString('base64url') === sealed
      const payload = isWhole ? unsealed(bytes) : undefined
      if (payload === undefined) return undefined
      const ticket = JSON.parse(payload) as Ticket
      return ticket.expiresAtMs > clock.now() ? ticket : undefined
    },
  }
}
