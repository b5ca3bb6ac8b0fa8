/** Generated passwords for operators. They are read out or typed once, so without letters that look alike. */
import { randomInt } from 'node:crypto'

const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Four groups of five of 31 letters: 99 bits. */
export function newPassword(): string {
  const letter = () => letters[randomInt(letters.length)] ?? 'a'
  return Array.from({ length: 4 }, () => Array.from({ length: 5 }, letter).join('')).join('-')
}
