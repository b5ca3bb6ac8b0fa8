/** The text of an API key and the hash it is stored under: the text itself is shown once and kept nowhere. */
import { hash, randomBytes } from 'node:crypto'

const shape = /^sk-[A-Za-z0-9_-]{20,200}$/

/** `sk-` and 32 random bytes: 256 bits, so a plain SHA-256 of it cannot be guessed back. */
export function newKeyText(): string {
  return `sk-${randomBytes(32).toString('base64url')}`
}

/** Whether a credential could be one of our keys; others are refused without a query. */
export function isKeyText(text: string): boolean {
  return shape.test(text)
}

/** SHA-256, 64 hexadecimal digits. */
export function keyDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Enough of a key to recognise it by, and too little to guess the rest from. */
export function keyHint(text: string): string {
  return `${text.slice(0, 7)}…`
}
