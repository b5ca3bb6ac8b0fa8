/** Texts encoded within a text: in base64, hexadecimal digits, or three kinds of escapes. */
import { isUtf8 } from 'node:buffer'
import { signBits } from './signs.ts'

export interface Decoded {
  name: 'base64' | 'hex' | 'escapes'
  text: string
}

/**
 * Each decoder reads the text once; its result is never longer than the text.
 * @param signs bits of signs.ts: a decoder whose bit is not set does not run
 */
export function decodings(text: string, signs: number): Decoded[] {
  const found: Decoded[] = []
  const has = (bit: number) => (signs & bit) !== 0
  const base64 = has(signBits.base64) ? runs(base64Runs(text), (run) => Buffer.from(run, 'base64')) : ''
  if (base64 !== '') found.push({ name: 'base64', text: base64 })
  const hex = has(signBits.hex) ? runs(hexRuns(text), (run) => Buffer.from(run.replace(notHex, ''), 'hex')) : ''
  if (hex !== '') found.push({ name: 'hex', text: hex })
  const unescaped = has(signBits.escapes) ? withoutEscapes(text) : text
  if (unescaped !== text) found.push({ name: 'escapes', text: unescaped })
  return found
}

const hexRun = /(?<![0-9a-z])(?:(?:\\x|0x)?[0-9a-f]{2}[\s:,]{0,2}){12,}/gi
const notHex = /\\x|0x|[\s:,]/gi

// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that no text has
const noText = /[\u0000-\u0008\u000e-\u001f\u007f]/
const readable = /[\p{L}\p{N}\p{P}\s]/u

const hexRuns = (text: string): string[] => text.match(hexRun) ?? []

const base64CharactersMin = 16
const base64Units = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[a-z0-9+/_-]/i.test(String.fromCharCode(unit)) ? 1 : 0,
)

/** Lines of 76 characters are one run. A plain word is dropped later, because it decodes to no text. */
function base64Runs(text: string): string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; at++) {
    const start = at
    at = base64End(text, start)
    if (at - start < base64CharactersMin) continue
    for (;;) {
      const lineEnd = text[at] === '\r' ? at + 1 : at
      const end = text[lineEnd] === '\n' ? base64End(text, lineEnd + 1) : 0
      if (end - lineEnd - 1 < base64CharactersMin) break
      at = end
    }
    found.push(text.slice(start, at))
  }
  return found
}

/** @returns `from` where there is no base64 */
function base64End(text: string, from: number): number {
  let at = from
  while (base64Units[text.charCodeAt(at)] === 1) at++
  return at
}

function runs(encoded: readonly string[], decode: (run: string) => Buffer): string {
  const texts: string[] = []
  for (const run of encoded) {
    const decoded = asText(decode(run))
    if (decoded !== undefined) texts.push(decoded)
  }
  return texts.join('\n')
}

/** @returns undefined: the bytes are not text. A character that is cut at the end is left out */
function asText(bytes: Buffer): string | undefined {
  for (let cut = 0; cut < 4; cut++) {
    const whole = bytes.subarray(0, bytes.length - cut)
    if (!isUtf8(whole)) continue
    const text = whole.toString()
    return noText.test(text) || !readable.test(text) ? undefined : text
  }
  return undefined
}

const percents = /(?:%[0-9a-f]{2})+/gi
const entity = /&#(?:x([0-9a-f]{2,6})|(\d{2,7}));?/gi
const escapeSequence = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi

function withoutEscapes(text: string): string {
  let plain = text
  if (plain.includes('%'))
    plain = plain.replace(percents, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
  if (plain.includes('&#'))
    plain = plain.replace(entity, (whole, hex, decimal) =>
      character(hex ? Number.parseInt(hex, 16) : Number(decimal), whole),
    )
  if (plain.includes('\\'))
    plain = plain.replace(escapeSequence, (whole, braced, four, two) =>
      character(Number.parseInt(braced ?? four ?? two, 16), whole),
    )
  return plain
}

function character(code: number, otherwise: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise
}
