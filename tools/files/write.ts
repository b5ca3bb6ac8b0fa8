/** Writes a text file atomically: into a new file beside it, which is then renamed, so that nobody ever sees half of it. */
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { ToolFailed } from '../tool.ts'
import { type ConfinedEntry, entryStats, handlePath, openFile, requireRegular, withConfinedEntry } from './confined.ts'
import { fileFailure, quotedPath } from './failures.ts'
import type { FileRoot } from './root.ts'

/** Of one call. */
export const writeBytesMax = 1_048_576

/** A file that is appended to is copied, so its size is limited. */
export const appendedBytesMax = 8 * 1_048_576

/** create: it must not exist. overwrite: replaced or made. append: made longer or made. */
export type WriteMode = 'create' | 'overwrite' | 'append'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/** @returns the size of the file afterwards, in bytes. @throws ToolFailed, and the file is as it was */
export function writeText(root: FileRoot, path: string, content: string, mode: WriteMode): Promise<number> {
  const bytes = Buffer.from(content)
  if (bytes.length > writeBytesMax) {
    throw new ToolFailed('too_large', `The content is ${bytes.length} bytes; a call takes ${writeBytesMax}.`)
  }
  return withConfinedEntry(root, path, async (place) => {
    if (place.name === '') throw new ToolFailed('not_a_file', 'The folder itself cannot be written to.')
    const present = await entryStats(place)
    if (present) requireRegular(present, place.path)
    if (present && mode === 'create') throw alreadyExists(place)
    const before = present && mode === 'append' ? await wholeFile(place, bytes.length) : Buffer.alloc(0)
    await replaceFile(place, [before, bytes], mode, present)
    return before.length + bytes.length
  })
}

function alreadyExists({ path }: ConfinedEntry): ToolFailed {
  return new ToolFailed('exists', `${quotedPath(path)} exists already; mode overwrite replaces it.`)
}

async function wholeFile(place: ConfinedEntry, addedBytes: number): Promise<Buffer> {
  const { file, stats } = await openFile(place)
  try {
    const bytes = Buffer.alloc(Math.min(stats.size, appendedBytesMax) + 1)
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    if (filled === bytes.length || filled + addedBytes > appendedBytesMax) {
      const words = `would grow past ${appendedBytesMax} bytes, or somebody else is writing to it`
      throw new ToolFailed('too_large', `${quotedPath(place.path)} ${words}; write to another file.`)
    }
    return bytes.subarray(0, filled)
  } finally {
    await file.close()
  }
}

async function replaceFile(
  place: ConfinedEntry,
  parts: Buffer[],
  mode: WriteMode,
  present: Stats | undefined,
): Promise<void> {
  const { folder, name, path } = place
  const fresh = `.service-${randomBytes(8).toString('hex')}.part`
  try {
    const file = await open(handlePath(folder, fresh), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    try {
      await writeParts(file, parts, present)
      // A link fails atomically where the name exists; a rename would replace a file created meanwhile.
      if (mode === 'create') await link(handlePath(folder, fresh), handlePath(folder, name))
      else await rename(handlePath(folder, fresh), handlePath(folder, name))
    } finally {
      await file.close()
      await unlink(handlePath(folder, fresh)).catch(ignoreMissing)
    }
  } catch (error) {
    if (mode === 'create' && (error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyExists(place)
    throw fileFailure(error, path)
  }
}

async function writeParts(file: FileHandle, parts: Buffer[], present: Stats | undefined): Promise<void> {
  for (const part of parts) if (part.length > 0) await file.writeFile(part)
  if (present) await file.chmod(present.mode & 0o777)
  await file.sync()
}

/** It was renamed, as intended. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
