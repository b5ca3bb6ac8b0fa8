/**
 * Opens files and folders below a root, and nothing else. Each name of a path is opened from the handle of the folder before it
 * (`/proc/self/fd/<handle>/<name>`, O_NOFOLLOW), so the kernel refuses anything that
 * is swapped for a symbolic link between two steps. Checking a path first and opening it later leaked in every second race.
 */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { ToolFailed } from '../tool.ts'
import { fileFailure, quotedPath } from './failures.ts'
import { pathSegments } from './path.ts'
import { type FileRoot, workspacesFolder } from './root.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** An open folder, and a name in it that need not exist. */
export interface ConfinedEntry {
  folder: FileHandle
  /** Empty: the root itself. */
  name: string
  /** As shown to the model. */
  path: string
}

/** The path of a name in an open folder, even if the folder has been renamed since. */
export function handlePath(folder: FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`
}

/**
 * Walks to the folder that holds the last name of `path` and gives `use` its handle, open until it is done.
 * @throws ToolFailed
 */
export async function withConfinedEntry<Result>(
  root: FileRoot,
  path: string,
  use: (place: ConfinedEntry) => Promise<Result>,
): Promise<Result> {
  const names = pathSegments(path, root.path)
  if (root.below.length === 0 && names[0] === workspacesFolder) throw notFound(names.join('/'))
  let folder = await openRoot(root)
  try {
    for (const [at, name] of names.slice(0, -1).entries()) {
      const next = await openFolder(folder, name, names.slice(0, at + 1).join('/'))
      await folder.close()
      folder = next
    }
    return await use({ folder, name: names.at(-1) ?? '', path: names.join('/') })
  } finally {
    await folder.close()
  }
}

async function openRoot({ path, below }: FileRoot): Promise<FileHandle> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, O_RDONLY | O_DIRECTORY)
    for (const name of below) {
      await mkdir(handlePath(folder, name), { mode: 0o700 }).catch(unlessThere)
      const next = await openFolder(folder, name, name)
      await folder.close()
      folder = next
    }
    return folder
  } catch (error) {
    await folder?.close()
    const message = 'The folder of the file tools cannot be opened; an operator has to check it.'
    throw new ToolFailed('unavailable', message, { cause: error })
  }
}

function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
}

const notFound = (path: string): ToolFailed => new ToolFailed('not_found', `${quotedPath(path)} does not exist.`)

/** @param path as shown to the model */
export async function openFolder(parent: FileHandle, name: string, path: string): Promise<FileHandle> {
  try {
    return await open(handlePath(parent, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    throw fileFailure(error, path)
  }
}

/** Links are not followed. @returns undefined: there is nothing */
export async function entryStats({ folder, name, path }: ConfinedEntry): Promise<Stats | undefined> {
  try {
    return await lstat(handlePath(folder, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileFailure(error, path)
  }
}

/**
 * Opens a regular file for reading. It is checked before, since opening a device may have effects, and after, since it may
 * have been swapped; O_NONBLOCK, since opening a FIFO would wait for its writer.
 */
export async function openFile(place: ConfinedEntry): Promise<{ file: FileHandle; stats: Stats }> {
  const { folder, name, path } = place
  const before = name === '' ? await folder.stat() : await entryStats(place)
  if (!before) throw notFound(path)
  requireRegular(before, path)
  const file = await open(handlePath(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw fileFailure(error, path)
  })
  try {
    const stats = await file.stat()
    requireRegular(stats, path)
    return { file, stats }
  } catch (error) {
    await file.close()
    throw error
  }
}

export function requireRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return
  if (stats.isSymbolicLink()) {
    throw new ToolFailed('refused_path', `${quotedPath(path)} is a symbolic link, and those are not followed.`)
  }
  const kind = stats.isDirectory() ? 'a folder' : 'not a regular file'
  throw new ToolFailed('not_a_file', `${quotedPath(path)} is ${kind}.`)
}
