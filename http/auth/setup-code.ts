/** The code for creating the first operator. It is printed at the start, so only who can read the log can use it. */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

/** Without letters that look like digits. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

export interface SetupCode {
  /** `XXXX-XXXX-XXXX`; undefined once there is an operator. */
  readonly text: string | undefined
  /** In constant time; spaces, dashes and case are ignored. */
  matches(entered: string): boolean
  /** Called once there is an operator. */
  invalidate(): void
}

/** @param key of all nodes: their code is the same; absent where there is one: it is another at each start */
export function setupCode(isNeeded: boolean, key?: KeyObject): SetupCode {
  let text = isNeeded ? inLetters(key ? createHmac('sha256', key).digest() : randomBytes(32)) : undefined
  const plain = (of: string) => of.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return {
    get text() {
      return text
    },
    matches(entered) {
      if (text === undefined) return false
      const expected = Buffer.from(plain(text))
      const actual = Buffer.from(plain(entered))
      return actual.length === expected.length && timingSafeEqual(actual, expected)
    },
    invalidate() {
      text = undefined
    },
  }
}

/** 12 letters of 31, about 59 bits: enough where each wrong guess costs a growing wait. */
function inLetters(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  const letter = () => {
    const index = Number(rest % BigInt(letters.length))
    rest /= BigInt(letters.length)
    return letters.charAt(index)
  }
  return Array.from({ length: 3 }, () => Array.from({ length: 4 }, letter).join('')).join('-')
}
