/** What bytes are, by themselves: what a client calls them decides nothing. */
import { fileTypeFromBuffer } from 'file-type'

/** Of the beginning: all that tells one type from another. */
export const headBytes = 4_100

/** Shown by browsers as what they are; none of them runs anything. Whatever else there is only comes as a download. */
const inline = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/mpeg',
  'audio/wav',
  'audio/ogg',
  'video/mp4',
  'video/webm',
])

export const isInline = (contentType: string): boolean => inline.has(contentType)

export const unknownType = 'application/octet-stream'

/** @param head the first 4,100 bytes, or all @returns text/plain for UTF-8 without control characters of another kind */
export async function contentTypeOf(head: Buffer): Promise<string> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found) return withoutParameters(found.mime)
  return isText(head) ? 'text/plain' : unknownType
}

const withoutParameters = (mime: string): string => mime.split(';', 1)[0]?.trim() ?? unknownType

function isText(head: Buffer): boolean {
  // A character may have been cut through at the end.
  const text = new TextDecoder('utf-8', { fatal: true })
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text has not
    return head.length > 0 && !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text.decode(head, { stream: true }))
  } catch {
    return false
  }
}
