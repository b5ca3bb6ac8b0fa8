/**
 * How this service's command is typed where it was started. `service` alone is the system's own command on Debian and others,
 * so that hints name what runs: `agent-platform` where it is installed, else the file itself.
 */
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, relative, sep } from 'node:path'
import { packageFolder } from './package.ts'

const name = 'agent-platform'

interface Place {
  /** The folder of this package. */
  folder: string
  /** Where commands are typed. */
  cwd: string
  /** The folders in which a shell looks for commands. */
  path: string
}

/** In front of a command's words, as in `${commandName()} doctor`. */
export function commandName(place: Partial<Place> = {}): string {
  const { folder = packageFolder, cwd = process.cwd(), path = process.env['PATH'] ?? '' } = place
  const bin = join(folder, 'bin', 'service.js')
  const isOurs = (file: string): boolean => existsSync(file) && realpathSync(file) === realpathSync(bin)
  // npm and npx add folders of packages, which the shell beside them does not have.
  const folders = path.split(delimiter).filter((each) => each !== '' && !each.endsWith(join('node_modules', '.bin')))
  if (folders.some((each) => isOurs(join(each, name)))) return name
  for (let above = cwd; ; above = dirname(above)) {
    if (isOurs(join(above, 'node_modules', '.bin', name))) return `npx ${name}`
    if (above === dirname(above)) break
  }
  const from = relative(cwd, bin)
  return `node ${quoted(from.startsWith('..') ? bin : from)}`
}

/** As a shell reads it. */
function quoted(file: string): string {
  return /^[\w./:\\@+-]+$/.test(file) ? file : sep === '\\' ? `"${file}"` : `'${file.replaceAll("'", "'\\''")}'`
}
