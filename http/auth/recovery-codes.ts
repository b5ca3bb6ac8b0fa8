/** Recovery codes: each replaces a lost second factor once. They are shown once, and stored as hashes. */
import { hash, randomInt } from 'node:crypto'

/** Without letters that look like digits. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const codes = 10
const groups = 6
const lettersPerGroup = 4

/**
 * Twenty-four letters of 31, about 118 bits: from 112 on a plain SHA-256 protects a code whose hash was stolen. Those of
 * earlier versions had sixteen, and still count.
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () => Array.from({ length: groups }, group).join('-'))
}

/** SHA-256, 32 bytes. Spaces, dashes and case are ignored. */
export function recoveryHash(code: string): Buffer {
  return hash('sha256', code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''), 'buffer')
}

function group(): string {
  return Array.from({ length: lettersPerGroup }, () => letters[randomInt(letters.length)] ?? 'A').join('')
}
