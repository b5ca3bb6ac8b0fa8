/** One-time links by which an operator sets a password: 256 random bits, of which the hash is stored. */
import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { NewPasswordLink } from '../../store/operators/password-links.ts'

const validForMs = minutes(24 * 60)

export interface PasswordLink {
  /** Of the page, below the address of the admin UI. The secret is in the fragment, which no server or proxy sees. */
  path: string
  stored: NewPasswordLink
}

export function newPasswordLink(clock: Clock): PasswordLink {
  const secret = randomBytes(32).toString('base64url')
  const expiresAt = new Date(clock.now() + validForMs)
  return { path: `/set-password#${secret}`, stored: { hash: passwordLinkHash(secret), expiresAt } }
}

export const passwordLinkHash = (secret: string): Buffer => hash('sha256', secret, 'buffer')
