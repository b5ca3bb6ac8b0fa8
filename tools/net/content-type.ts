/** Detects whether the bytes of a response are HTML, other text or neither, and decodes the text. */

export type ContentKind = 'html' | 'text' | 'other'

const textTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/xml',
  'application/javascript',
  'application/ecmascript',
  'application/x-javascript',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/graphql',
  'application/sql',
])

/** A page must name its encoding within so many bytes. */
const sniffedBytes = 1_024

/** @param contentType the header, blank for none @returns undefined: it says nothing, so the bytes have to */
export function kindByHeader(contentType: string): ContentKind | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '') return undefined
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type.startsWith('text/') || textTypes.has(type) || /\+(json|xml|yaml)$/.test(type)) return 'text'
  return 'other'
}

export function kindByBytes(bytes: Uint8Array): ContentKind {
  const head = bytes.subarray(0, sniffedBytes)
  if (unicodeMark(bytes) === undefined && head.includes(0)) return 'other'
  return /^\s*<(!doctype html|html|head|body)\b/i.test(latin1(head)) ? 'html' : 'text'
}

/**
 * Decodes by the first of these that names an encoding: a byte order mark, the header, the page's meta element (HTML only).
 * Without any: UTF-8 if it is valid, else windows-1252. Invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string, kind: ContentKind): string {
  const named =
    unicodeMark(bytes) ??
    supportedEncoding(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]) ??
    (kind === 'html' ? supportedEncoding(charsetInMeta(bytes)) : undefined)
  if (named !== undefined) return new TextDecoder(named).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(withoutCutCharacter(bytes))
  } catch {
    return new TextDecoder('windows-1252').decode(bytes) // not UTF-8, which is what was tested
  }
}

function unicodeMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

function charsetInMeta(bytes: Uint8Array): string | undefined {
  const head = latin1(bytes.subarray(0, sniffedBytes))
  const name = /<meta\s[^>]{0,300}?charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1]
  // A page whose ASCII could be read so far is not UTF-16, whatever it says (WHATWG HTML, 13.2.3.2).
  return name && /^utf-16/i.test(name) ? 'utf-8' : name
}

function supportedEncoding(label: string | undefined): string | undefined {
  try {
    return label && new TextDecoder(label).encoding
  } catch {
    return undefined // an unknown name says nothing
  }
}

/** A body that was cut at its bound may end inside a character. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0
    if (length > back) return bytes.subarray(0, bytes.length - back)
    if (length > 0) break
  }
  return bytes
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
