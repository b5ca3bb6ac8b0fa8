/** What is compiled at a start is kept for the next, in a folder that nobody else can write to. */
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endSpawned, spawnNode } from '../support/spawned.ts'

const program = fileURLToPath(new URL('processes/compiles.ts', import.meta.url))

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'compile-cache-'))
})
afterEach(async () => {
  await endSpawned()
  await rm(home, { recursive: true, force: true })
})

/** @returns the folder of the cache as the program says it */
async function folderOf(environment: Record<string, string> = { XDG_CACHE_HOME: home }): Promise<unknown> {
  const { end, said } = spawnNode(program, [], { environment: { HOME: home, NODE_COMPILE_CACHE: '', ...environment } })
  const { folder } = await said('compiled')
  await end
  return folder
}

test('what a killed process has compiled is there for the next, and nobody else can write to it', async () => {
  const folder = String(await folderOf())
  expect(folder.startsWith(join(home, 'agent-platform-service/'))).toBe(true)
  expect((await readdir(folder)).length).toBeGreaterThan(0)
  expect((await stat(join(home, 'agent-platform-service'))).mode & 0o077).toBe(0)
  expect(await folderOf()).toBe(folder)
})

test('without XDG_CACHE_HOME it is in the home folder', async () => {
  expect(await folderOf({ XDG_CACHE_HOME: '' })).toContain(join(home, '.cache/agent-platform-service/'))
})

test('a folder that others can write to is not used: what is in it is run', async () => {
  const shared = join(home, 'agent-platform-service')
  await mkdir(shared)
  await chmod(shared, 0o777)
  expect(await folderOf()).toBeUndefined()
  expect(await readdir(shared)).toEqual([])
})

test.runIf(process.getuid?.() === 0)('a folder of another user is not used', async () => {
  const others = join(home, 'agent-platform-service')
  await mkdir(others, { mode: 0o700 })
  await chown(others, 65_534, 65_534)
  expect(await folderOf()).toBeUndefined()
})

test('a user without a home has no cache and no error', async () => {
  expect(await folderOf({ XDG_CACHE_HOME: join(home, 'no/home') })).toBeUndefined()
})

test('a folder that Node.js was told to use stays in use', async () => {
  expect(await folderOf({ XDG_CACHE_HOME: home, NODE_COMPILE_CACHE: join(home, 'other') })).toBeUndefined()
  expect(await readdir(home)).toEqual(['other'])
})

test('of many installations the newest eight are kept', async () => {
  for (let nth = 0; nth < 20; nth++) {
    const folder = join(home, 'agent-platform-service', `old-${String(nth).padStart(2, '0')}`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await utimes(folder, nth, nth)
  }
  await chmod(join(home, 'agent-platform-service'), 0o700)
  await folderOf()
  const left = await readdir(join(home, 'agent-platform-service'))
  expect(left).toHaveLength(8)
  expect(left.filter((name) => name.startsWith('old-')).sort()[0]).toBe('old-13')
})
