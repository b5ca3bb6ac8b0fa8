/** The code that makes the first operator: printed at the start, so that whoever reads the log takes the installation, and nobody else. */
import { randomInt, timingSafeEqual } from 'node:crypto'

/** No letters that are taken for digits. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

export interface SetupCode {
  /** `XXXX-XXXX-XXXX`; undefined once there is an operator. */
  readonly text: string | undefined
  /** In constant time; blanks, dashes and case do not count. */
  matches(given: string): boolean
  /** There is an operator now. */
  invalidate(): void
}

export function setupCode(isNeeded: boolean): SetupCode {
  let text = isNeeded ? fresh() : undefined
  const plain = (of: string) => of.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return {
    get text() {
      return text
    },
    matches(given) {
      if (text === undefined) return false
      const [one, other] = [Buffer.from(plain(text)), Buffer.from(plain(given))]
      return one.length === other.length && timingSafeEqual(one, other)
    },
    invalidate() {
      text = undefined
    },
  }
}

/** 12 letters of 31: some 59 bits, for a code that guesses cost a growing wait. */
function fresh(): string {
  const letter = () => letters[randomInt(letters.length)] ?? 'A'
  return Array.from({ length: 3 }, () => Array.from({ length: 4 }, letter).join('')).join('-')
}
