/** Decompresses the body of a response, never more of it than the limit: 194 KB can expand to 200 MB. */
import { pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { ToolFailed } from '../tool.ts'

export interface Body {
  bytes: Uint8Array
  /** There was more than the bound. */
  isTruncated: boolean
}

/** Nested encodings; only a bomb has more than two. */
const encodingsMax = 2

/** RFC 9659: a window of 8 MiB at most over HTTP. The library would allow 128 MiB. */
const zstdWindowLogMax = 23

/** A body that breaks off mid-stream yields what has arrived. */
const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }
const lenientBrotli = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
}

/** Node has it from 22.15 on. */
const hasZstd = typeof zlib.createZstdDecompress === 'function'

export const acceptEncoding = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br'

/**
 * @param source its errors after the end must be handled by the caller
 * @param contentEncoding the header, blank for none
 * @param bytesMax of the compressed and of the decompressed body, each
 * @param onBytes called for each piece
 * @throws ToolFailed `encoding_refused`, `body_undecodable`; what the source throws
 */
export async function readBody(
  source: Readable,
  contentEncoding: string,
  bytesMax: number,
  onBytes: () => void,
): Promise<Body> {
  const encodings = encodingsIn(contentEncoding)
  const arriving = new IncomingBody(source, bytesMax, onBytes)
  const pieces = arriving.pieces()
  const { value: first, done } = await pieces.next()
  if (done) return { bytes: new Uint8Array(), isTruncated: arriving.isCut }
  const decoders = encodings.map((encoding, at) => decoderOf(encoding, at === 0 ? first : undefined))
  const unfolded = chained(Readable.from(resumed(first, pieces), { objectMode: false }), decoders)
  try {
    const { bytes, isTruncated } = await collect(unfolded, bytesMax)
    return { bytes, isTruncated: isTruncated || arriving.isCut }
  } catch (cause) {
    if (arriving.failure !== undefined) throw arriving.failure
    throw new ToolFailed('body_undecodable', `The body of the answer is not the ${contentEncoding} that it says.`, {
      cause,
    })
  } finally {
    unfolded.destroy()
    source.destroy()
  }
}

/** The body as it arrives: counted, cut at the limit, its failures distinguished from those of decompression. */
class IncomingBody {
  isCut = false
  failure: unknown
  readonly #source: Readable
  readonly #bytesMax: number
  readonly #onBytes: () => void

  constructor(source: Readable, bytesMax: number, onBytes: () => void) {
    this.#source = source
    this.#bytesMax = bytesMax
    this.#onBytes = onBytes
  }

  async *pieces(): AsyncGenerator<Buffer, void> {
    let bytes = 0
    try {
      for await (const piece of this.#source as AsyncIterable<Buffer>) {
        this.#onBytes()
        const room = this.#bytesMax - bytes
        bytes += piece.length
        this.isCut = piece.length > room
        yield this.isCut ? piece.subarray(0, room) : piece
        if (this.isCut) return
      }
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}

/** In the order of decoding. */
function encodingsIn(header: string): string[] {
  const encodings = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const isKnown = (name: string) => ['gzip', 'x-gzip', 'deflate', 'br'].includes(name) || (hasZstd && name === 'zstd')
  if (encodings.length > encodingsMax || !encodings.every(isKnown))
    throw new ToolFailed('encoding_refused', 'The answer is encoded in a way that is not read here.')
  return encodings.reverse()
}

/** @param first the beginning of its input, where known */
function decoderOf(encoding: string, first: Buffer | undefined): Transform {
  switch (encoding) {
    case 'br':
      return zlib.createBrotliDecompress(lenientBrotli)
    case 'zstd':
      return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } })
    case 'deflate':
      // RFC 9110, 8.4.1.2: some send it without its frame, whose first byte ends in 8.
      return first && ((first[0] ?? 0) & 0x0f) !== 8 ? zlib.createInflateRaw(lenient) : zlib.createInflate(lenient)
    default:
      return zlib.createGunzip(lenient)
  }
}

async function* resumed(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first
  yield* rest
}

function chained(start: Readable, decoders: readonly Transform[]): Readable {
  let last: Readable = start
  // The reader of the last one sees every failure: each is passed on down the chain.
  for (const decoder of decoders) last = pipeline(last, decoder, () => undefined)
  return last
}

async function collect(stream: Readable, bytesMax: number): Promise<Body> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    const room = bytesMax - bytes
    pieces.push(piece.length > room ? piece.subarray(0, room) : piece)
    bytes += Math.min(piece.length, room)
    if (piece.length > room) return { bytes: Buffer.concat(pieces), isTruncated: true }
  }
  return { bytes: Buffer.concat(pieces), isTruncated: false }
}
