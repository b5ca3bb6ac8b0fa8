import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, leak, openFolder, plantTraps } from './support/folder.ts'

let folder: Folder
let traps: { close(): void }
beforeAll(async () => {
  folder = await openFolder()
  traps = await plantTraps(folder)
})
afterAll(async () => {
  traps.close()
  await folder.remove()
})

const isRoot = process.getuid?.() === 0

/** What a model may try, and the code it hears. */
const abuses: readonly [path: string, code: string][] = [
  ['../outside/secret.txt', 'refused_path'],
  ['..', 'refused_path'],
  ['notes/../../outside/secret.txt', 'refused_path'],
  ['notes/../hello.txt', 'refused_path'],
  ['./../outside/secret.txt', 'refused_path'],
  ['notes/deep/../../../outside/secret.txt', 'refused_path'],
  ['/etc/passwd', 'refused_path'],
  ['//etc/passwd', 'refused_path'],
  ['/', 'refused_path'],
  ['<root>/../outside/secret.txt', 'refused_path'],
  ['<root>-beside/secret.txt', 'refused_path'],
  ['<outside>/secret.txt', 'refused_path'],
  ['/proc/self/environ', 'refused_path'],
  ['/dev/zero', 'refused_path'],
  ['hello.txt\0.png', 'refused_path'],
  ['\0', 'refused_path'],
  ['hello\n.txt', 'refused_path'],
  ['hello\u007f', 'refused_path'],
  ['lone\ud800surrogate', 'refused_path'],
  ['x'.repeat(1_025), 'refused_path'],
  ['x'.repeat(256), 'refused_path'],
  ['é'.repeat(128), 'refused_path'],
  ['a/'.repeat(65), 'refused_path'],
  ['link-to-file', 'refused_path'],
  ['link-relative', 'refused_path'],
  ['link-inside', 'refused_path'],
  ['link-loop', 'refused_path'],
  ['link-to-nothing', 'refused_path'],
  ['link-to-link', 'refused_path'],
  ['link-to-folder/secret.txt', 'not_a_folder'],
  ['link-to-link/secret.txt', 'not_a_folder'],
  ['link-to-everything/etc/passwd', 'not_a_folder'],
  ['link-through-proc/etc/passwd', 'not_a_folder'],
  ['notes/link-deep/secret.txt', 'not_a_folder'],
  ['hello.txt/secret.txt', 'not_a_folder'],
  ['fifo', 'not_a_file'],
  ['fifo/x', 'not_a_folder'],
  ['socket', 'not_a_file'],
  ...(isRoot ? ([['device', 'not_a_file']] as const).map(([path, code]): [string, string] => [path, code]) : []),
  ['notes', 'not_a_file'],
  ['.', 'not_a_file'],
  ['notes/', 'not_a_file'],
  ['~/secret.txt', 'not_found'],
  ['%2e%2e/outside/secret.txt', 'not_found'],
  ['..%2foutside/secret.txt', 'not_found'],
  ['．．/outside/secret.txt', 'not_found'],
  ['..\\outside\\secret.txt', 'not_found'],
  ['file:///etc/passwd', 'not_found'],
  ['$HOME/x', 'not_found'],
]

function asGiven(path: string): string {
  return path.replace('<root>', folder.root).replace('<outside>', folder.outside)
}

describe('a path that leads elsewhere, or to what is no text file, is refused', () => {
  test.each(abuses)('%j is not read: %s', async (path, code) => {
    const error = await folder.read({ path: asGiven(path) }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ToolFailed', code })
    expect(String(error)).not.toContain('/proc/self/fd')
  })

  test.each(abuses)('%j is not written to', async (path, code) => {
    const given = asGiven(path)
    if (code === 'not_found') return expect(writableNames(given)).toBe(true)
    for (const mode of ['create', 'overwrite', 'append']) {
      await expect(folder.write({ path: given, content: 'x', mode })).rejects.toMatchObject({ name: 'ToolFailed' })
    }
    expect(await readFile(join(folder.outside, 'secret.txt'), 'utf8')).toBe(leak)
    expect(await readdir(folder.outside)).toEqual(['secret.txt'])
  })

  test.each(abuses)('%j is not listed, or shows nothing from outside', async (path) => {
    const shown = await folder.list({ path: asGiven(path), depth: 3 }).catch((error: unknown) => error)
    if (typeof shown === 'string') expect(shown).not.toContain('secret.txt')
    else expect(shown).toMatchObject({ name: 'ToolFailed' })
  })
})

/** Those are odd names below the root and no way out of it: nothing is to be refused. */
function writableNames(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..')
}

test('an absolute path is read when it lies below the folder', async () => {
  expect(await folder.read({ path: join(folder.root, 'hello.txt') })).toContain('hello')
  expect(await folder.list({ path: folder.root })).toContain('hello.txt')
})

test('a FIFO to which nobody writes does not hold a call up', async () => {
  await expect(folder.read({ path: 'fifo' })).rejects.toMatchObject({ code: 'not_a_file' })
})

test('a refused write leaves nothing behind', async () => {
  await folder.write({ path: 'link-to-nothing', content: 'x', mode: 'overwrite' }).catch(() => undefined)
  expect(existsSync(join(folder.outside, 'made-by-tool'))).toBe(false)
  expect((await readdir(folder.root)).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('handles are closed, also those of refused calls', async () => {
  const before = (await readdir('/proc/self/fd')).length
  for (let round = 0; round < 20; round++) {
    for (const path of ['notes/deep/plan.md', 'notes/link-deep/secret.txt', 'fifo', 'notes/none/x']) {
      await folder.read({ path }).catch(() => undefined)
      await folder.list({ path, depth: 3 }).catch(() => undefined)
      await folder.write({ path, content: 'a plan', mode: 'overwrite' }).catch(() => undefined)
    }
  }
  expect((await readdir('/proc/self/fd')).length).toBeLessThanOrEqual(before + 2)
})
