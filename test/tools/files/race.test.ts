import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Folder, leak, openFolder } from './support/folder.ts'

let folder: Folder
let swapper: Worker
beforeAll(async () => {
  folder = await openFolder()
  await mkdir(join(folder.root, 'swapped'))
  await writeFile(join(folder.root, 'swapped/secret.txt'), 'harmless')
  await symlink(folder.outside, join(folder.root, 'trap'))
  swapper = new Worker(swapping, { eval: true, workerData: folder.root })
  await new Promise((ready) => swapper.once('message', ready))
})
afterAll(async () => {
  await swapper.terminate()
  await folder.remove()
})

/** The folder and a link to the outside take each other's name, as fast as it goes. */
const swapping = `
  const { renameSync } = require('node:fs')
  const { parentPort, workerData: root } = require('node:worker_threads')
  const swapped = root + '/swapped', away = root + '/away', trap = root + '/trap'
  let isReady = false
  for (;;) {
    renameSync(swapped, away); renameSync(trap, swapped)
    renameSync(swapped, trap); renameSync(away, swapped)
    if (!isReady) { isReady = true; parentPort.postMessage('swapping') }
  }`

test('a folder that is swapped for a link to the outside during thousands of reads leaks nothing', async () => {
  const outcomes = new Map<string, number>()
  for (let round = 0; round < 300; round++) {
    const reads = Array.from({ length: 8 }, () =>
      folder.read({ path: 'swapped/secret.txt' }).catch((error: { code: string }) => error.code),
    )
    for (const outcome of await Promise.all(reads)) {
      expect(outcome).not.toContain(leak)
      const kind = outcome.includes('harmless') ? 'read' : outcome
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
    }
  }
  // Without all of these there was no race to lose.
  expect(outcomes.get('read')).toBeGreaterThan(0)
  expect(outcomes.get('not_a_folder')).toBeGreaterThan(0)
})

test('writes and listings in that race reach nothing outside', async () => {
  for (let round = 0; round < 100; round++) {
    const shown = await folder.list({ path: 'swapped', depth: 3 }).catch((error: { code: string }) => error.code)
    expect(shown).not.toContain(`${leak.length} bytes`)
    await folder.write({ path: 'swapped/secret.txt', content: 'harmless', mode: 'overwrite' }).catch(() => undefined)
  }
  expect(await readFile(join(folder.outside, 'secret.txt'), 'utf8')).toBe(leak)
})
