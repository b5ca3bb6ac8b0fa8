/** A second build of this version: a copy of the checkout with one expand migration more, and a message to all nodes that the first one does not know. */
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, version } from '../../runtime/package.ts'

export interface SecondBuild {
  /** Its command, as `cli/service.ts` is that of the first. */
  program: string
  /** The name of its own migration. */
  migration: string
}

export const secondBuildKind = 'second.build'

const rooms = ['actors', 'cli', 'config', 'gateway', 'guard', 'http', 'models', 'runtime', 'store', 'tools', 'workers']

/** @param folder empty, or not there yet */
export function secondBuild(folder: string): SecondBuild {
  for (const name of [...rooms, 'package.json']) {
    cpSync(join(packageFolder, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'))
  const migration = addMigration(join(folder, 'store/migrations'))
  replaceOnce(join(folder, 'gateway/nodes-around.ts'), "bus.on('slots.freed', () => membership.look())", (line) =>
    [line, `setInterval(() => bus.broadcast('${secondBuildKind}', { at: Date.now() }), 50).unref()`].join('\n  '),
  )
  return { program: join(folder, 'cli/service.ts'), migration }
}

function addMigration(folder: string): string {
  const last = readdirSync(folder).sort().at(-1) ?? ''
  const migration = `${String(Number(last.slice(0, 4)) + 1).padStart(4, '0')}_of_the_second_build`
  const lines = [
    '-- phase: expand',
    `-- safe-for: ${version}`,
    '-- A column that the first build does not write.',
    '',
    "alter table turns add column second_build text default 'unknown';",
  ]
  writeFileSync(join(folder, `${migration}.sql`), `${lines.join('\n')}\n`)
  return migration
}

function replaceOnce(file: string, text: string, replaced: (text: string) => string): void {
  const [before, after, ...more] = readFileSync(file, 'utf8').split(text)
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`${file} has not once: ${text}`)
  writeFileSync(file, `${before}${replaced(text)}${after}`)
}
