/**
 * The service as its package has it, for tests that start it as a process: from the sources each of some hundred starts would
 * strip the types of all files again, which takes longer than the rest of the start.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileTo, rooms } from '../../scripts/compile.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the checkout, so that it finds the packages; not below node_modules, where it would take itself for installed.
const folder = join(root, 'dist/under-test')
const stamp = join(folder, 'built-from')

/** Makes it where it is not there, or the sources changed since. @returns the `service` command */
export function builtService(): string {
  const state = sourcesState()
  const bin = join(folder, 'bin/service.js')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return bin
  // Another run may make it at the same time.
  const making = `${folder}-${process.pid}`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true })
  compileTo(join(making, 'dist'), { isChecked: false })
  for (const name of ['package.json', 'bin']) cpSync(join(root, name), join(making, name), { recursive: true })
  symlinkSync(join(root, 'dist/ui'), join(making, 'dist/ui'))
  writeFileSync(join(making, 'built-from'), state)
  rmSync(folder, { recursive: true, force: true })
  renameSync(making, folder)
  return bin
}

/** Of each file its time and size. */
function sourcesState(): string {
  const files = [...rooms, 'bin', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].flatMap((name) => {
    const path = join(root, name)
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  })
  return files
    .map((path) => {
      const { mtimeMs, size } = statSync(path)
      return `${path} ${mtimeMs} ${size}`
    })
    .join('\n')
}
