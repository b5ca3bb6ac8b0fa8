/** Reads a text as a person would see it: one form of each letter, nothing invisible, and apart from it what was hidden. */
import { readAs, withoutMixedScripts } from './letters.ts'

export interface Folded {
  /** Lower case. Offsets are its own, not those of the given text. */
  text: string
  /** The same with upper and lower case, for what is decoded. */
  cased: string
  /** What stood in characters that nobody sees: tags and variation selectors, read as ASCII. */
  hidden: string
}

/** One character here becomes up to 18; reordering a long pile of marks takes the square of its length. */
const swelling = /[\ufdfa\ufdfb]|(?:(?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])\p{M}){4,}/gu

const plain = /^[\n\x20-\x7e]*$/

/** Time and space grow with the length alone; at most six times as long as the text. */
export function fold(text: string): Folded {
  if (plain.test(text)) return { text: text.toLowerCase(), cased: text, hidden: '' }
  const composed = text
    .replace(swelling, (pile) => (pile.length > 1 ? [...pile].slice(0, 3).join('') : ''))
    .normalize('NFKC')
  const { visible, hidden } = seen(composed)
  return { text: withoutMixedScripts(readable(visible.toLowerCase())), cased: visible, hidden }
}

/** Once more after lower case, which brings marks and small letters of its own. */
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
    const read = readAs[unit] ?? unit
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
