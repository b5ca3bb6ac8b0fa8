/**
 * Takes the bytes of an upload: to the disk while they come, never collected. One request at a time, on one node, which is
 * pinned meanwhile; what came before a cut is kept, and gone on with here or on another node. A file is served only once all of
 * it is there, of the right digest, and on the disk.
 */
import { createHash, type Hash } from 'node:crypto'
import { Failure, isOutage } from '../../runtime/failure.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { Database } from '../database.ts'
import { uuidOf } from '../id.ts'
import { claimPin, type Pin, releasePin } from '../nodes/pins.ts'
import type { Blobs, Part } from './blobs.ts'
import { contentTypeOf, headBytes } from './content-type.ts'
import {
  AlreadyUploaded,
  beginPart,
  endUpload,
  isWithinQuota,
  type Media,
  StorageQuotaExceeded,
  UploadInProgress,
} from './media.ts'

export interface Incoming {
  pieces: AsyncIterable<Buffer>
  /** Where the first of them belongs. */
  offset: number
  /** Of the whole file. */
  totalBytes: number
  bytesMax: number
  quotaBytes: number
  /** Asked when all is there, before anybody can read it. @throws MediaRefused, and whatever keeps it from judging */
  scan(bytes: () => AsyncIterable<Buffer>, media: Media): Promise<void>
}

export interface Received {
  /** How far the upload is. */
  offset: number
  /** The media once all of it is there; undefined before. */
  media: Media | undefined
}

export interface Uploads {
  /** How many bytes have come of an upload that has not ended. */
  received(media: Media): Promise<number>
  /**
   * @throws UploadInProgress, AlreadyUploaded, OffsetMismatch, UploadTooLarge, DigestMismatch, StorageQuotaExceeded, NoSpace,
   * and what the pieces fail with: then what has come is kept
   */
  receive(media: Media, incoming: Incoming): Promise<Received>
}

export class OffsetMismatch extends Failure {
  readonly code = 'offset_mismatch'
  constructor(received: number) {
    super(`${received} bytes of this upload have come; go on from there`)
  }
}

export class UploadTooLarge extends Failure {
  readonly code = 'body_too_large'
  constructor(bytesMax: number) {
    super(`the upload is longer than ${bytesMax} bytes`)
  }
}

export class DigestMismatch extends Failure {
  readonly code = 'digest_mismatch'
  constructor(what: string) {
    super(`the bytes are not those that were declared: ${what}; the upload begins anew`)
  }
}

/** Between two requests of one upload; later, the digest of what has come is computed anew. */
const digestIdleMs = minutes(10)
const digestsMax = 1_000

interface Digest {
  hash: Hash
  bytes: number
  idleSinceMs: number
}

export function openUploads({
  db,
  blobs,
  node,
  clock,
}: {
  db: Database
  blobs: Blobs
  node: number
  clock: Clock
}): Uploads {
  const running = new Set<string>()
  const digests = new Map<string, Digest>()
  const partOf = (media: Media, at: number): string => `${uuidOf(media.id).replaceAll('-', '')}.${at}`

  async function received(media: Media): Promise<number> {
    return media.partNode === null ? 0 : await blobs.partBytes(partOf(media, media.partNode))
  }

  async function receive(media: Media, incoming: Incoming): Promise<Received> {
    if (media.status === 'ready') throw new AlreadyUploaded()
    if (running.has(media.id)) throw new UploadInProgress()
    running.add(media.id)
    const pin: Pin = { kind: 'upload', key: media.id, node }
    try {
      if (!(await claimPin(db, pin))) throw new UploadInProgress()
      try {
        return await write(media, incoming, pin)
      } finally {
        await releasePin(db, pin)
      }
    } finally {
      running.delete(media.id)
    }
  }

  async function write(media: Media, incoming: Incoming, pin: Pin): Promise<Received> {
    const { bytesMax, quotaBytes, totalBytes, offset } = incoming
    const name = partOf(media, node)
    if (totalBytes > bytesMax) throw new UploadTooLarge(bytesMax)
    if (offset > totalBytes) throw new UploadTooLarge(totalBytes)
    const amount = { workspaceId: media.workspaceId, bytes: totalBytes, quotaBytes }
    if (!(await isWithinQuota(db, amount))) throw new StorageQuotaExceeded()
    const hash = await digestUpTo(media, offset)
    if (!(await beginPart(db, media.id, pin))) throw new AlreadyUploaded()
    const part = await blobs.openPart(name, offset)
    const digest: Digest = { hash, bytes: offset, idleSinceMs: 0 }
    try {
      await append(part, digest, incoming)
    } finally {
      await part.close()
      keepDigest(media.id, digest)
    }
    if (part.bytes < totalBytes) return { offset: part.bytes, media: undefined }
    return { offset: part.bytes, media: await finish(media, incoming, { name, hash, bytes: part.bytes, pin }) }
  }

  async function append(part: Part, digest: Digest, { pieces, totalBytes }: Incoming): Promise<void> {
    for await (const piece of pieces) {
      if (part.bytes + piece.length > totalBytes) throw new UploadTooLarge(totalBytes)
      await part.append(piece)
      digest.hash.update(piece)
      digest.bytes = part.bytes
    }
  }

  /** Of what has come: known here, or computed from the bytes, which are fetched from the part of another node. */
  async function digestUpTo(media: Media, offset: number): Promise<Hash> {
    const bytes = offset === 0 ? 0 : await received(media)
    if (bytes !== offset) throw new OffsetMismatch(bytes)
    const known = digests.get(media.id)
    digests.delete(media.id)
    if (offset === 0 || media.partNode === null) return createHash('sha256')
    if (media.partNode === node && known?.bytes === offset) return known.hash
    const name = partOf(media, node)
    if (media.partNode !== node) await blobs.copyPart(partOf(media, media.partNode), name)
    const hash = createHash('sha256')
    for await (const piece of blobs.readPart(name)) hash.update(piece)
    return hash
  }

  function keepDigest(id: string, digest: Digest): void {
    for (const [other, { idleSinceMs }] of digests) {
      if (digests.size < digestsMax && clock.elapsed() - idleSinceMs < digestIdleMs) break
      digests.delete(other)
    }
    digests.set(id, { ...digest, idleSinceMs: clock.elapsed() })
  }

  async function finish(
    media: Media,
    { quotaBytes, scan }: Incoming,
    { name, hash, bytes, pin }: { name: string; hash: Hash; bytes: number; pin: Pin },
  ): Promise<Media> {
    digests.delete(media.id)
    const sha256 = hash.digest('hex')
    try {
      if (media.declaredBytes !== null && media.declaredBytes !== bytes)
        throw new DigestMismatch(`${bytes} bytes instead of ${media.declaredBytes}`)
      if (media.declaredSha256 !== null && media.declaredSha256 !== sha256) throw new DigestMismatch('another SHA-256')
      const contentType = await contentTypeOf(await headOf(blobs.readPart(name)))
      await scan(() => blobs.readPart(name), { ...media, contentType, bytes, sha256 })
      const keep = () => blobs.keep(name, sha256)
      return await endUpload(db, media, { bytes, sha256, contentType, pin, quotaBytes, keep })
    } catch (error) {
      // What is away comes again: the upload is ended then, without its bytes being sent once more.
      if (!isOutage(error)) await blobs.dropPart(name)
      throw error
    }
  }

  return { received, receive }
}

async function headOf(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  for await (const piece of bytes) return Buffer.from(piece.subarray(0, headBytes))
  return Buffer.alloc(0)
}
