/** The text of an API key and the hash that is stored: the text itself is shown once and never stored. */
import { hash, randomBytes } from 'node:crypto'

const shape = /^sk-[A-Za-z0-9_-]{20,200}$/

/** `sk-` and 32 random bytes. With 256 bits, a plain SHA-256 is enough to protect it. */
export function newKeyText(): string {
  return `sk-${randomBytes(32).toString('base64url')}`
}

/** Whether a credential has the form of a key; others are refused without a query. */
export function isKeyText(text: string): boolean {
  return shape.test(text)
}

/** SHA-256, 64 hexadecimal digits. */
export function keyDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

const hintCharacters = 7

/** The first characters: enough to recognise a key by, too little to guess the rest. */
export function keyHint(text: string): string {
  return `${text.slice(0, hintCharacters)}…`
}

/** What is known of a key that somebody looks for by all of it; other words stay as they are. */
export const beginningOfKey = (words: string): string =>
  words.startsWith('sk-') ? words.slice(0, hintCharacters) : words
