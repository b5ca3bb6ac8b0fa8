/** Splits a path that a model wrote into the names that are opened one by one below the root. */
import { ToolFailed } from '../tool.ts'

const pathCharactersMax = 1_024
/** The limit of Linux for one name. */
const nameBytesMax = 255
const namesMax = 64

/**
 * Checks the text only; what the names lead to is checked when they are opened.
 * @param root absolute; a path that begins with it is read as one below it
 * @returns the names from the root on; none: the root itself
 * @throws ToolFailed refused_path
 */
export function pathSegments(path: string, root: string): readonly string[] {
  if (path.length > pathCharactersMax) throw refused(`it is longer than ${pathCharactersMax} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x1f\x7f]/.test(path)) throw refused('it contains control characters')
  if (!path.isWellFormed()) throw refused('it is not well-formed Unicode')
  const names = below(path, root)
    .split('/')
    .filter((name) => name !== '' && name !== '.')
  if (names.length > namesMax) throw refused(`it has more than ${namesMax} names`)
  for (const name of names) {
    if (name === '..') throw refused('".." is not allowed')
    if (Buffer.byteLength(name) > nameBytesMax) throw refused(`a name in it is longer than ${nameBytesMax} bytes`)
  }
  return names
}

function below(path: string, root: string): string {
  if (!path.startsWith('/')) return path
  const folder = root === '/' ? '/' : `${root}/`
  if (path === root) return ''
  if (!path.startsWith(folder)) throw refused('it is absolute and outside of the folder; use a relative path')
  return path.slice(folder.length)
}

function refused(why: string): ToolFailed {
  return new ToolFailed('refused_path', `This path is refused: ${why}.`)
}
