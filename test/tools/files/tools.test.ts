import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileRoot } from '../../../tools/files/root.ts'
import { filesystemList } from '../../../tools/filesystem-list.ts'
import { filesystemRead } from '../../../tools/filesystem-read.ts'
import { filesystemWrite } from '../../../tools/filesystem-write.ts'
import { toolDependencies } from './support/call.ts'
import { type Folder, openFolder } from './support/folder.ts'

let folder: Folder
beforeEach(async () => {
  folder = await openFolder()
})
afterEach(() => folder.remove())

const put = (name: string, content: string | Buffer) => writeFile(join(folder.root, name), content)
const held = (name: string) => readFile(join(folder.root, name), 'utf8')

describe('whether the tools are there', () => {
  test('they are off without SERVICE_FS_ROOT', () => {
    const { dependencies } = toolDependencies({})
    expect([filesystemRead(dependencies), filesystemList(dependencies), filesystemWrite(dependencies)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('they are off on other systems than Linux, and the log says so', () => {
    const { dependencies, lines } = toolDependencies({ SERVICE_FS_ROOT: '/srv/files' })
    expect(fileRoot(dependencies, 'filesystem_read', 'darwin')).toBeUndefined()
    expect(lines).toMatchObject([{ level: 40, tool: 'filesystem_read' }])
  })

  test('what they read is untrusted, and only writing is a risk', () => {
    expect(folder.tools.map(({ name, risk, isUntrusted }) => [name, risk, isUntrusted])).toEqual([
      ['filesystem_read', 'read', true],
      ['filesystem_list', 'read', true],
      ['filesystem_write', 'write', false],
    ])
  })

  test('a root that is away is told without its path', async () => {
    await folder.remove()
    const error = await folder.read({ path: 'hello.txt' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unavailable' })
    expect((error as Error).message).not.toContain(folder.root)
  })
})

describe('reading', () => {
  test('a short file comes whole', async () => {
    expect(await folder.read({ path: 'hello.txt' })).toBe('Bytes 0 to 6 of 6.\n\nhello\n')
  })

  test('the parts of a long file are the file, with no character cut', async () => {
    const text = 'aé€😀'.repeat(500)
    await put('long.txt', text)
    let together = ''
    for (let offset = 0; offset < Buffer.byteLength(text); ) {
      const part: string = await folder.read({ path: 'long.txt', offset, limit: 999 })
      together += part.slice(part.indexOf('\n\n') + 2)
      offset = Number(/^Bytes \d+ to (\d+)/.exec(part)?.[1])
    }
    expect(together).toBe(text)
  })

  test('an offset inside a character begins at the next one', async () => {
    await put('euro.txt', '€uro')
    expect(await folder.read({ path: 'euro.txt', offset: 1 })).toBe('Bytes 3 to 6 of 6.\n\nuro')
  })

  test('past the end there is nothing', async () => {
    expect(await folder.read({ path: 'hello.txt', offset: 100 })).toContain('nothing from byte 100 on')
  })

  test('a call gives no more than 256 KiB', async () => {
    await put('big.txt', 'x'.repeat(400_000))
    await expect(folder.read({ path: 'big.txt', limit: 262_145 })).rejects.toThrow('limit')
    const part = await folder.read({ path: 'big.txt', limit: 262_144 })
    expect(part).toMatch(/^Bytes 0 to 262144 of 400000; go on with offset 262144\.\n\nx+$/)
  })

  test.each([
    ['a NUL', Buffer.from('text\0text')],
    ['broken UTF-8', Buffer.from([0x61, 0xff, 0x61])],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ])('%s in it makes a file binary, and that is said', async (_kind, bytes) => {
    await put('file.bin', bytes)
    const reading = folder.read({ path: 'file.bin' })
    await expect(reading).rejects.toMatchObject({ code: 'binary', message: expect.stringContaining(`${bytes.length}`) })
  })
})

describe('listing', () => {
  test('shows kinds and sizes to the depth asked for, and never what a link leads to', async () => {
    await symlink(folder.outside, join(folder.root, 'away'))
    expect(await folder.list({})).toBe('away (symbolic link)\nhello.txt 6 bytes\nnotes/')
    expect(await folder.list({ depth: 3 })).toBe(
      'away (symbolic link)\nhello.txt 6 bytes\nnotes/\n  deep/\n    plan.md 6 bytes',
    )
    expect(await folder.list({ path: 'notes/deep' })).toBe('plan.md 6 bytes')
  })

  test('ends at its number of entries and says so', async () => {
    await mkdir(join(folder.root, 'many'))
    for (let at = 0; at < 510; at++) await put(`many/${at}`, '')
    const lines = (await folder.list({ path: '.', depth: 2 })).split('\n')
    expect(lines[0]).toContain('More than 500')
    expect(lines.slice(2)).toHaveLength(500)
  })

  test('a name that could be taken for another line is shown escaped', async () => {
    await put('a\nsecret.txt 6 bytes', '')
    expect(await folder.list({})).toContain('"a\\nsecret.txt 6 bytes" 0 bytes')
  })

  test('a depth beyond three is refused', async () => {
    await expect(folder.list({ depth: 4 })).rejects.toThrow('depth')
  })
})

describe('writing', () => {
  test('create makes a file and refuses one that is there', async () => {
    expect(await folder.write({ path: 'new.txt', content: 'né', mode: 'create' })).toBe(
      'Written; the file has 3 bytes.',
    )
    await expect(folder.write({ path: 'new.txt', content: 'b', mode: 'create' })).rejects.toMatchObject({
      code: 'exists',
    })
    expect(await held('new.txt')).toBe('né')
  })

  test('of many that create one file at once, one does', async () => {
    const writes = Array.from({ length: 20 }, (_, at) =>
      folder.write({ path: 'one.txt', content: `${at}`, mode: 'create' }).then(
        () => at,
        () => undefined,
      ),
    )
    const winners = (await Promise.all(writes)).filter((at) => at !== undefined)
    expect(winners).toHaveLength(1)
    expect(await held('one.txt')).toBe(`${winners[0]}`)
  })

  test('overwrite replaces the file as a whole and keeps its permissions', async () => {
    await chmod(join(folder.root, 'hello.txt'), 0o640)
    await folder.write({ path: 'hello.txt', content: 'by', mode: 'overwrite' })
    expect(await held('hello.txt')).toBe('by')
    expect((await stat(join(folder.root, 'hello.txt'))).mode & 0o777).toBe(0o640)
  })

  test('append adds at the end, and makes the file where there is none', async () => {
    await folder.write({ path: 'log.txt', content: 'a', mode: 'append' })
    expect(await folder.write({ path: 'log.txt', content: 'b', mode: 'append' })).toContain('2 bytes')
    expect(await held('log.txt')).toBe('ab')
  })

  test('nothing but the file is left in the folder', async () => {
    for (const mode of ['create', 'overwrite', 'append']) await folder.write({ path: 'notes/x', content: 'x', mode })
    await folder.write({ path: 'notes/x', content: 'x', mode: 'create' }).catch(() => undefined)
    expect((await readdir(join(folder.root, 'notes'))).sort()).toEqual(['deep', 'x'])
  })

  test('more than a megabyte is refused, in characters and in bytes', async () => {
    const path = 'big.txt'
    await expect(folder.write({ path, content: 'x'.repeat(1_048_577), mode: 'create' })).rejects.toThrow('content')
    const wide = folder.write({ path, content: 'é'.repeat(600_000), mode: 'create' })
    await expect(wide).rejects.toMatchObject({ code: 'too_large' })
    await expect(held(path)).rejects.toThrow('ENOENT')
  })

  test('a file is not appended to past its limit', async () => {
    await put('full.txt', 'x'.repeat(8 * 1_048_576))
    const more = folder.write({ path: 'full.txt', content: 'y', mode: 'append' })
    await expect(more).rejects.toMatchObject({ code: 'too_large' })
    expect((await stat(join(folder.root, 'full.txt'))).size).toBe(8 * 1_048_576)
  })

  test('a folder that does not exist is not made', async () => {
    const write = folder.write({ path: 'none/x.txt', content: 'x', mode: 'create' })
    await expect(write).rejects.toMatchObject({ code: 'not_found' })
  })
})
