/** Folds a text to what a person would see: one form of each letter, nothing invisible; hidden text is returned separately. */
import { normalizedLetters, withoutMixedScripts } from './letters.ts'

export interface Folded {
  /** Lower case. Its offsets differ from those of the original. */
  text: string
  /** The same with upper and lower case, for decoders. */
  cased: string
  /** Text in invisible characters: tags and variation selectors, read as ASCII. */
  hidden: string
}

/** A character can become up to 18, and reordering many combining marks takes quadratic time. */
const swelling = /[\ufdfa\ufdfb]|(?:(?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])\p{M}){4,}/gu

const plain = /^[\n\x20-\x7e]*$/

/** Takes linear time. The result is at most six times as long as the text. */
export function fold(text: string): Folded {
  if (plain.test(text)) return { text: text.toLowerCase(), cased: text, hidden: '' }
  const composed = text
    .replace(swelling, (pile) => (pile.length > 1 ? [...pile].slice(0, 3).join('') : ''))
    .normalize('NFKC')
  const { visible, hidden } = seen(composed)
  return { text: withoutMixedScripts(readable(visible.toLowerCase())), cased: visible, hidden }
}

/** Again after lower-casing, which adds marks and small letters. */
function readable(text: string): string {
  return seen(text).visible
}

const blackFlag = 0xdff4
/** A flag of a region is a black flag with at most six tags and the closing one. */
const flagTagsMax = 7

function seen(text: string): { visible: string; hidden: string } {
  const units = new Uint16Array(text.length)
  let length = 0
  let hidden = ''
  let run = ''
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0xdb40) {
      run += tagged(text.charCodeAt(++at))
      continue
    }
    if (run !== '') {
      if (before !== blackFlag || run.length > flagTagsMax) hidden += run
      run = ''
    }
    before = unit
    if (unit === 0xd83c) {
      const letter = enclosed(text.charCodeAt(at + 1))
      if (letter !== 0) {
        units[length++] = letter
        at++
        continue
      }
    }
    const read = normalizedLetters[unit] ?? unit
    if (read !== 0) units[length++] = read
  }
  if (before !== blackFlag || run.length > flagTagsMax) hidden += run
  return { visible: text16(units.subarray(0, length)), hidden }
}

/** @param low of the block U+E0000: tags are ASCII, selectors from U+E0100 on are bytes from 16 on. */
function tagged(low: number): string {
  if (low >= 0xdc20 && low <= 0xdc7e) return String.fromCharCode(low - 0xdc00)
  const byte = low - 0xdd00 + 16
  return byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : ''
}

/** Letters in dark circles and squares and those of flags, which composition leaves as they are. */
function enclosed(low: number): number {
  if (low >= 0xdd50 && low <= 0xdd69) return low - 0xdd50 + 0x61
  if (low >= 0xdd70 && low <= 0xdd89) return low - 0xdd70 + 0x61
  if (low >= 0xdde6 && low <= 0xddff) return low - 0xdde6 + 0x61
  return 0
}

const utf16 = new TextDecoder('utf-16le')

function text16(units: Uint16Array): string {
  return utf16.decode(units)
}
