/**
 * Where the bytes of media are: parts of uploads, each of one node, and whole files by their SHA-256. Several nodes share one
 * place: a folder, or whatever else can do the same.
 */
import { createReadStream } from 'node:fs'
import { copyFile, type FileHandle, mkdir, open, opendir, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../runtime/failure.ts'

/** The bytes of an upload while they come. */
export interface Part {
  /** So far. */
  readonly bytes: number
  /** @throws NoSpace */
  append(piece: Uint8Array): Promise<void>
  /** What was appended is on the disk when it resolves. @throws NoSpace */
  close(): Promise<void>
}

export interface Blobs {
  /** 0: there is none. */
  partBytes(name: string): Promise<number>
  /** To go on after the first `from` bytes; what is behind them is dropped. */
  openPart(name: string, from: number): Promise<Part>
  readPart(name: string): AsyncIterable<Buffer>
  copyPart(name: string, to: string): Promise<void>
  dropPart(name: string): Promise<void>
  /** Makes a part the file of that digest; the same where there is one already. Survives a crash once it resolves. */
  keep(name: string, sha256: string): Promise<void>
  /** @throws BlobMissing where the file is not there, or has not so many bytes */
  check(sha256: string, bytes: number): Promise<void>
  /** @param until the byte behind the last @throws BlobMissing, at once or while it is read */
  read(sha256: string, from: number, until: number): AsyncIterable<Buffer>
  remove(sha256: string): Promise<void>
  /** Parts that nobody has written to since `beforeMs`, in wall-clock time. */
  idleParts(beforeMs: number): AsyncIterable<string>
}

export class NoSpace extends Failure {
  readonly code = 'no_space'
  constructor(cause: unknown) {
    super('there is no space left for files', { cause })
  }
}

export class BlobMissing extends Failure {
  readonly code = 'blob_missing'
  constructor(sha256: string, cause?: unknown) {
    super(`the bytes of the file ${sha256} are gone, or fewer than they were`, { cause })
  }
}

/** Of one read: enough for the disk, little for the memory. */
const pieceBytes = 262_144

const digest = /^[0-9a-f]{64}$/
const partName = /^[0-9a-f]{32}\.\d{1,20}$/

/** @throws whatever the folder cannot be made or written with */
export async function folderBlobs(folder: string): Promise<Blobs> {
  const parts = join(folder, 'parts')
  const files = join(folder, 'files')
  await mkdir(parts, { recursive: true })
  await mkdir(files, { recursive: true })

  const partAt = (name: string): string => {
    if (!partName.test(name)) throw new TypeError(`not the name of a part: ${name}`)
    return join(parts, name)
  }
  const shardOf = (sha256: string): string => {
    if (!digest.test(sha256)) throw new TypeError(`not a digest: ${sha256}`)
    return join(files, sha256.slice(0, 2))
  }
  const fileAt = (sha256: string): string => join(shardOf(sha256), sha256.slice(2))

  return {
    async partBytes(name) {
      return await stat(partAt(name)).then(({ size }) => size, ignoreMissing(0))
    },
    async openPart(name, from) {
      const path = partAt(name)
      if (from > 0) await truncate(path, from)
      return partIn(await open(path, from > 0 ? 'r+' : 'w', 0o600).catch(throwNoSpace), from)
    },
    readPart: (name) => createReadStream(partAt(name), { highWaterMark: pieceBytes }),
    async copyPart(name, to) {
      await copyFile(partAt(name), partAt(to)).catch(throwNoSpace)
    },
    dropPart: (name) => rm(partAt(name), { force: true }),
    async keep(name, sha256) {
      const shard = shardOf(sha256)
      try {
        await mkdir(shard, { recursive: true })
        await rename(partAt(name), fileAt(sha256))
        await syncFolder(shard)
        await syncFolder(files)
      } catch (error) {
        throwNoSpace(error)
      }
    },
    async check(sha256, bytes) {
      const size = await stat(fileAt(sha256)).then(({ size }) => size, ignoreMissing(-1))
      if (size !== bytes) throw new BlobMissing(sha256)
    },
    async *read(sha256, from, until) {
      const file = await open(fileAt(sha256)).catch((error: unknown) => {
        throw new BlobMissing(sha256, error)
      })
      try {
        for (let at = from; at < until; ) {
          const piece = Buffer.allocUnsafe(Math.min(pieceBytes, until - at))
          const { bytesRead } = await file.read(piece, 0, piece.length, at)
          if (bytesRead === 0) throw new BlobMissing(sha256)
          at += bytesRead
          yield piece.subarray(0, bytesRead)
        }
      } finally {
        await file.close()
      }
    },
    remove: (sha256) => rm(fileAt(sha256), { force: true }),
    async *idleParts(beforeMs) {
      for await (const { name } of await opendir(parts)) {
        if (!partName.test(name)) continue
        const changedMs = await stat(join(parts, name)).then(
          ({ mtimeMs }) => mtimeMs,
          ignoreMissing(Number.POSITIVE_INFINITY),
        )
        if (changedMs < beforeMs) yield name
      }
    },
  }
}

function partIn(file: FileHandle, from: number): Part {
  let bytes = from
  return {
    get bytes() {
      return bytes
    },
    async append(piece) {
      for (let done = 0; done < piece.length; ) {
        const { bytesWritten } = await file.write(piece, done, piece.length - done, bytes).catch(throwNoSpace)
        done += bytesWritten
        bytes += bytesWritten
      }
    },
    async close() {
      try {
        await file.datasync().catch(throwNoSpace)
      } finally {
        await file.close()
      }
    },
  }
}

/** A rename is on the disk once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function throwNoSpace(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException
  throw code === 'ENOSPC' || code === 'EDQUOT' ? new NoSpace(error) : error
}

const ignoreMissing =
  <Value>(instead: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code !== 'ENOENT') throw error
    return instead
  }
