/** Lists a folder and what is below it, to a depth and a number of entries, without following a link. */
import type { Dirent } from 'node:fs'
import { type FileHandle, opendir } from 'node:fs/promises'
import { ToolFailed } from '../tool.ts'
import { entryStats, handlePath, openFolder, withConfinedEntry } from './confined.ts'
import { fileFailure } from './failures.ts'
import { type FileRoot, workspacesFolder } from './root.ts'

export const entriesMax = 500
export const depthMax = 3

export interface Listing {
  /** One a line, indented by depth: `name/`, `name 12 bytes`, `name (symbolic link)`. */
  lines: string[]
  /** There are more than `entriesMax` entries. */
  isCut: boolean
}

interface Walk {
  lines: string[]
  isCut: boolean
  depthMax: number
  signal: AbortSignal
  /** By its path from the root. */
  isHidden(path: string): boolean
}

/** @throws ToolFailed, the signal's reason */
export function listFolder(root: FileRoot, path: string, depth: number, signal: AbortSignal): Promise<Listing> {
  return withConfinedEntry(root, path, async ({ folder, name, path: requestedPath }) => {
    const isHidden = (inner: string) => root.below.length === 0 && inner === workspacesFolder
    const walk: Walk = { lines: [], isCut: false, depthMax: depth, signal, isHidden }
    if (name === '') await listInto(walk, folder, requestedPath, 1)
    else await withFolder(folder, name, requestedPath, (inner) => listInto(walk, inner, requestedPath, 1))
    return { lines: walk.lines, isCut: walk.isCut }
  })
}

async function withFolder(
  parent: FileHandle,
  name: string,
  path: string,
  use: (folder: FileHandle) => Promise<void>,
): Promise<void> {
  const folder = await openFolder(parent, name, path)
  try {
    await use(folder)
  } finally {
    await folder.close()
  }
}

async function listInto(walk: Walk, folder: FileHandle, path: string, depth: number): Promise<void> {
  for (const entry of await entriesOf(walk, folder, path)) {
    walk.signal.throwIfAborted()
    if (walk.lines.length >= entriesMax) {
      walk.isCut = true
      return
    }
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (walk.isHidden(inner)) continue
    const line = walk.lines.push('') - 1
    walk.lines[line] = `${'  '.repeat(depth - 1)}${await entryLine(folder, entry, inner)}`
    if (!entry.isDirectory() || depth >= walk.depthMax) continue
    try {
      await withFolder(folder, entry.name, inner, (next) => listInto(walk, next, inner, depth + 1))
    } catch (error) {
      // A folder that cannot be opened, or is gone by now, does not remove the others from the list.
      if (!(error instanceof ToolFailed)) throw error
      walk.lines[line] += ' (cannot be opened)'
    }
  }
}

/** In the order of their names. Of a folder with more entries than there is room for, those that were read first. */
async function entriesOf(walk: Walk, folder: FileHandle, path: string): Promise<Dirent[]> {
  const roomFor = entriesMax - walk.lines.length
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(handlePath(folder, ''))) {
      if (entries.length >= roomFor) {
        walk.isCut = true
        break
      }
      entries.push(entry)
    }
  } catch (error) {
    throw fileFailure(error, path)
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function entryLine(folder: FileHandle, entry: Dirent, path: string): Promise<string> {
  const name = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]/u.test(entry.name) ? JSON.stringify(entry.name) : entry.name
  if (entry.isDirectory()) return `${name}/`
  if (entry.isSymbolicLink()) return `${name} (symbolic link)`
  if (!entry.isFile()) return `${name} (not a regular file)`
  const stats = await entryStats({ folder, name: entry.name, path })
  return stats ? `${name} ${stats.size} bytes` : `${name} (gone)`
}
