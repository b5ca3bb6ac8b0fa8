/** Reads a part of a text file: limited bytes, whole characters, binary content detected. */
import { openFile, withConfinedEntry } from './confined.ts'
import type { FileRoot } from './root.ts'

export const readBytesMax = 262_144

export interface TextPart {
  kind: 'text'
  text: string
  /** Where the part begins and ends, in bytes of the file. */
  from: number
  to: number
  /** Of the whole file, as it was when it was opened. */
  fileBytes: number
}

/** The bytes are not UTF-8, or contain NUL. */
export interface BinaryPart {
  kind: 'binary'
  fileBytes: number
}

/**
 * @param offset in bytes; one inside a character is moved to the next
 * @param limit in bytes, at most `readBytesMax`; a character that is cut is left for the next call
 * @throws ToolFailed
 */
export function readText(
  root: FileRoot,
  path: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<TextPart | BinaryPart> {
  return withConfinedEntry(root, path, async (place) => {
    const { file, stats } = await openFile(place)
    try {
      const bytes = Buffer.alloc(Math.min(limit, readBytesMax))
      let filled = 0
      // A read may return less than requested; one that returns nothing is the end.
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return part(bytes.subarray(0, filled), offset, stats.size)
    } finally {
      await file.close()
    }
  })
}

function part(bytes: Buffer, offset: number, size: number): TextPart | BinaryPart {
  const start = offset === 0 ? 0 : continuationBytes(bytes)
  const whole = bytes.subarray(start, bytes.length - cutBytes(bytes))
  const fileBytes = Math.max(size, offset + bytes.length) // what /proc shows has no size
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole)
    if (text.includes('\0')) return { kind: 'binary', fileBytes }
    return { kind: 'text', text, from: offset + start, to: offset + start + whole.length, fileBytes }
  } catch {
    return { kind: 'binary', fileBytes } // a fatal decoder fails on nothing but what it decodes
  }
}

/** How many bytes at the beginning belong to a character before it. */
function continuationBytes(bytes: Buffer): number {
  let count = 0
  while (count < 3 && isContinuation(bytes[count])) count++
  return count
}

/** How many bytes at the end are the beginning of a character that goes on behind it. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    if (isContinuation(byte)) continue
    return byte !== undefined && charactersBytes(byte) > back ? back : 0
  }
  return 0
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function charactersBytes(lead: number): number {
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc0 ? 2 : 1
}
