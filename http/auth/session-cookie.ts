/** The cookie of an operator's session: its name, its flags, and the token inside. */
import { hash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hexadecimal; the store finds a session by it. */
export const sessionDigest = (token: string): string => hash('sha256', token, 'hex')

/** What a page must send with each write. Pages of other origins cannot read it from an answer. */
export const csrfTokenOf = (token: string): string => hash('sha256', `csrf ${token}`, 'base64url')

export interface SessionCookie {
  /** Undefined: the request has no session cookie of ours. */
  read(header: string, isSecure: boolean): string | undefined
  set(token: string, isSecure: boolean): string
  clear(isSecure: boolean): string
}

/**
 * Ports of one host share cookies, so the name contains the installation's id. Over HTTPS it begins with `__Host-`: then
 * browsers accept it from this host only. SameSite=Strict keeps it out of requests from other sites; another port is the
 * same site, so Origin is checked too.
 */
export function sessionCookie(installationId: string): SessionCookie {
  const plain = `service-session-${installationId.replaceAll('-', '').slice(0, 12)}`
  const nameOf = (isSecure: boolean) => (isSecure ? `__Host-${plain}` : plain)
  const flags = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    read(header, isSecure) {
      const name = nameOf(isSecure)
      for (const part of header.split(';', 100)) {
        const at = part.indexOf('=')
        if (part.slice(0, at).trim() !== name) continue
        const value = part.slice(at + 1).trim()
        return shape.test(value) ? value : undefined
      }
      return undefined
    },
    set: (token, isSecure) => `${nameOf(isSecure)}=${token}; ${flags(isSecure)}`,
    clear: (isSecure) => `${nameOf(isSecure)}=; ${flags(isSecure)}; Max-Age=0`,
  }
}
