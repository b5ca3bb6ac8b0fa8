/**
 * Whether bytes are msgpack of plain data, found out before anything is made of them: texts, numbers, booleans, bytes, dates,
 * lists and records, of bounded depth. msgpack's extensions, which make class instances, references and code, are none of it.
 */

export const depthMax = 64

/** Levels that are open: how many values each still has to come, and whether it is a record, whose every other is a key. */
const remaining = new Float64Array(depthMax + 1)
const isRecord = new Uint8Array(depthMax + 1)

/** @param bytes one value, and nothing behind it */
export function isPlainData(bytes: Uint8Array): boolean {
  const { length } = bytes
  let at = 0
  let depth = 0
  remaining[0] = 1
  isRecord[0] = 0
  while (true) {
    while (remaining[depth] === 0) {
      if (depth === 0) return at === length
      depth--
    }
    if (at >= length) return false
    const left = remaining[depth] as number
    const isKey = isRecord[depth] === 1 && left % 2 === 0
    remaining[depth] = left - 1
    const token = bytes[at++] as number
    if (isKey && !isTextToken(token)) return false

    if (token < 0x80 || token >= 0xe0) continue // a small number
    if (token >= 0xa0 && token < 0xc0) {
      at += token - 0xa0
    } else if (token < 0xa0) {
      if (++depth > depthMax) return false
      isRecord[depth] = token < 0x90 ? 1 : 0
      remaining[depth] = token < 0x90 ? (token - 0x80) * 2 : token - 0x90
    } else if (token >= 0xdc && token <= 0xdf) {
      const lengthBytes = token % 2 === 0 ? 2 : 4
      if (++depth > depthMax || at + lengthBytes > length) return false
      isRecord[depth] = token >= 0xde ? 1 : 0
      remaining[depth] = bigEndian(bytes, at, lengthBytes) * (token >= 0xde ? 2 : 1)
      at += lengthBytes
    } else {
      const size = sizeOf(bytes, at, token)
      if (size < 0) return false
      at += size
    }
    if (at > length) return false
  }
}

function isTextToken(token: number): boolean {
  return (token >= 0xa0 && token < 0xc0) || (token >= 0xd9 && token <= 0xdb)
}

/** Bytes that follow the token of a single value; -1: it is none of plain data. */
function sizeOf(bytes: Uint8Array, at: number, token: number): number {
  switch (token) {
    case 0xc0: // nil
    case 0xc2: // false
    case 0xc3: // true
      return 0
    case 0xc4: // bytes
    case 0xc5:
    case 0xc6:
      return lengthAndBody(bytes, at, 1 << (token - 0xc4))
    case 0xd9: // texts
    case 0xda:
    case 0xdb:
      return lengthAndBody(bytes, at, 1 << (token - 0xd9))
    case 0xca: // floats
      return 4
    case 0xcb:
      return 8
    case 0xcc: // integers
    case 0xcd:
    case 0xce:
    case 0xcf:
      return 1 << (token - 0xcc)
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return 1 << (token - 0xd0)
    case 0xd4: // undefined
      return bytes[at] === 0x00 && bytes[at + 1] === 0x00 ? 2 : -1
    case 0xd6: // dates, of three lengths
      return bytes[at] === 0xff ? 5 : -1
    case 0xd7:
      return bytes[at] === 0xff ? 9 : -1
    case 0xc7:
      return bytes[at] === 12 && bytes[at + 1] === 0xff ? 14 : -1
    default:
      return -1
  }
}

function lengthAndBody(bytes: Uint8Array, at: number, lengthBytes: number): number {
  if (at + lengthBytes > bytes.length) return -1
  return lengthBytes + bigEndian(bytes, at, lengthBytes)
}

function bigEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let index = 0; index < count; index++) value = value * 256 + (bytes[at + index] as number)
  return value
}
