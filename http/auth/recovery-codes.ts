/** Recovery codes: each stands in once for a lost second factor. They are shown once, and stored as hashes. */
import { hash, randomInt } from 'node:crypto'

/** No letters that are taken for digits. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const codes = 10
const groups = 4
const lettersAGroup = 4

/** Sixteen letters of 31, some 79 bits: a plain SHA-256 of one cannot be guessed back. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () => Array.from({ length: groups }, group).join('-'))
}

/** SHA-256, 32 bytes. Blanks, dashes and case do not count. */
export function recoveryHash(code: string): Buffer {
  return hash('sha256', code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''), 'buffer')
}

function group(): string {
  return Array.from({ length: lettersAGroup }, () => letters[randomInt(letters.length)] ?? 'A').join('')
}
