import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandName } from '../../runtime/command-name.ts'

/** In no folder of these tests, nor above one. */
const elsewhere = realpathSync(process.cwd())

/** A package in `folder` of an empty place. */
function packageIn(folder: string): { root: string; folder: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'command-name-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = join(root, folder)
  mkdirSync(join(at, 'bin'), { recursive: true })
  writeFileSync(join(at, 'bin', 'service.js'), '')
  return { root, folder: at }
}

function link(root: string, folder: string, bin: string): string {
  mkdirSync(join(root, folder), { recursive: true })
  symlinkSync(join(bin, 'bin', 'service.js'), join(root, folder, 'agent-platform'))
  return join(root, folder)
}

test('in a checkout the command is its file, from wherever it is typed', () => {
  const { root, folder } = packageIn('a checkout')
  expect(commandName({ folder, cwd: folder, path: '/usr/bin' })).toBe('node bin/service.js')
  expect(commandName({ folder, cwd: root, path: '/usr/bin' })).toBe("node 'a checkout/bin/service.js'")
  expect(commandName({ folder, cwd: elsewhere, path: '' })).toBe(`node '${join(folder, 'bin', 'service.js')}'`)
})

test('where it is installed for all, the command is agent-platform, never the system’s own service', () => {
  const { root, folder } = packageIn('lib/node_modules/agent-platform-service')
  const path = ['/usr/sbin', link(root, 'bin', folder)].join(delimiter)
  expect(commandName({ folder, cwd: elsewhere, path })).toBe('agent-platform')
})

test('where it is installed in a project, npx finds it, though npm has put its folder into the path of this process', () => {
  const { root, folder } = packageIn('node_modules/agent-platform-service')
  const path = link(root, 'node_modules/.bin', folder)
  mkdirSync(join(root, 'below'))
  expect(commandName({ folder, cwd: join(root, 'below'), path })).toBe('npx agent-platform')
  expect(commandName({ folder, cwd: elsewhere, path })).toBe(`node ${join(folder, 'bin', 'service.js')}`)
})

test('a command of that name that is somebody else’s is not ours', () => {
  const { root, folder } = packageIn('checkout')
  const other = packageIn('other')
  expect(commandName({ folder, cwd: folder, path: link(root, 'bin', other.folder) })).toBe('node bin/service.js')
})
