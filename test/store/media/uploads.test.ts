/** Uploads on several nodes that share a folder, and what is deleted of them in the end. */
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/time/clock.ts'
import { firstWorkspaceId, newMediaId } from '../../../store/id.ts'
import { type Blobs, folderBlobs } from '../../../store/media/blobs.ts'
import { createMedia, deleteMedia, findSignedMedia, type Media } from '../../../store/media/media.ts'
import { sweepMedia } from '../../../store/media/sweep.ts'
import { type Incoming, openUploads, type Uploads } from '../../../store/media/uploads.ts'
import { ownerId } from '../../../store/owner-id.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'

let fresh: FreshDatabase
let folder: string
let blobs: Blobs
let one: number
let other: number
beforeEach(async () => {
  fresh = await freshDatabase()
  folder = await mkdtemp(join(tmpdir(), 'media-'))
  blobs = await folderBlobs(folder)
  const nodes = await fresh.db.system<{ epoch: string }>`
    insert into instances (version, pid) values ('test', 1), ('test', 2) returning epoch`
  ;[one, other] = nodes.map(({ epoch }) => Number(epoch)) as [number, number]
})
afterEach(async () => {
  await fresh.drop()
  await rm(folder, { recursive: true, force: true })
})

const uploadsOf = (node: number): Uploads => openUploads({ db: fresh.db, blobs, node, clock: systemClock })
const actor = { workspaceId: firstWorkspaceId, name: 'test', ip: '::1', requestId: 'r' }

async function announced(): Promise<Media> {
  const id = newMediaId()
  await createMedia(
    fresh.db,
    {
      ...{ id, workspaceId: firstWorkspaceId, owner: ownerId('key', 'k'), conversationId: null, filename: 'f' },
      ...{ purpose: null, declaredType: null, declaredBytes: null, declaredSha256: null },
    },
    0,
  )
  return await now(id)
}

async function now(id: Media['id']): Promise<Media> {
  const media = await findSignedMedia(fresh.db, id)
  if (!media) throw new Error('it is gone')
  return media
}

const incoming = (bytes: Buffer, { from = 0, until = bytes.length, cut = false } = {}): Incoming => ({
  pieces: (async function* () {
    yield bytes.subarray(from, until)
    if (cut) throw new Error('the connection was cut')
  })(),
  ...{ offset: from, totalBytes: bytes.length, bytesMax: 10_000_000, quotaBytes: 0 },
  async scan() {},
})

const filesIn = async (name: 'parts' | 'files'): Promise<string[]> =>
  (await readdir(join(folder, name), { recursive: true })).filter((path) => path.includes('.') || path.length > 20)

test('another node goes on where one was cut, and the file is whole', async () => {
  const bytes = randomBytes(500_000)
  const media = await announced()
  await expect(uploadsOf(one).receive(media, incoming(bytes, { until: 200_000, cut: true }))).rejects.toThrow('cut')
  const uploads = uploadsOf(other)
  expect(await uploads.received(await now(media.id))).toBe(200_000)
  const { media: ready } = await uploads.receive(await now(media.id), incoming(bytes, { from: 200_000 }))
  expect(ready?.sha256).toBe(hash('sha256', bytes, 'hex'))
  const read: Buffer[] = []
  for await (const piece of blobs.read(ready?.sha256 ?? '', 0, bytes.length)) read.push(piece)
  expect(Buffer.concat(read).equals(bytes)).toBe(true)
})

test('a node that was frozen while another took over changes nothing when it wakes up', async () => {
  const bytes = randomBytes(300_000)
  const media = await announced()
  const { promise: frozen, resolve: wake } = Promise.withResolvers<void>()
  const late = uploadsOf(one).receive(media, {
    ...incoming(bytes),
    pieces: (async function* () {
      yield bytes.subarray(0, 100_000)
      await frozen
      yield bytes.subarray(100_000)
    })(),
  })
  // Taken for dead meanwhile: its pin is another's.
  await expect.poll(async () => (await now(media.id)).partNode).toBe(one)
  await fresh.db.system`update instances set lost_at = now() where epoch = ${one}`
  const { media: ready } = await uploadsOf(other).receive(await now(media.id), incoming(bytes))
  expect(ready?.status).toBe('ready')
  wake()
  await expect(late).rejects.toMatchObject({ code: 'already_uploaded' })
  const [blob] = await fresh.db.system<{ uses: number }>`select uses from media_blobs`
  expect(blob?.uses).toBe(1)
})

test('the sweep deletes what nothing uses, and nothing else', async () => {
  const bytes = randomBytes(1_000)
  const uploads = uploadsOf(one)
  const kept = (await uploads.receive(await announced(), incoming(bytes))).media
  const deleted = (await uploads.receive(await announced(), incoming(randomBytes(1_000)))).media
  if (!kept || !deleted) throw new Error('an upload has not ended')
  const pending = await announced()
  await expect(uploads.receive(pending, incoming(bytes, { until: 10, cut: true }))).rejects.toThrow('cut')
  expect(await deleteMedia(fresh.db, deleted, actor)).toBe(true)
  const signal = new AbortController().signal
  const sweep = (hours: number, retentionMs = 0) =>
    sweepMedia(fresh.db, blobs, { nowMs: Date.now() + hours * 3_600_000, retentionMs, signal })

  // A reader of a moment ago may still have it.
  expect(await sweep(0)).toEqual({ media: 0, blobs: 0, parts: 0 })
  expect(await sweep(1)).toMatchObject({ media: 0, blobs: 1 })
  expect((await filesIn('files')).length).toBe(1)
  expect((await filesIn('parts')).length).toBe(1)
  expect(await sweep(25)).toMatchObject({ media: 1, parts: 1 })
  expect(await filesIn('parts')).toEqual([])

  await fresh.db.system`
    insert into media_references (media_id, workspace_id, kind, id) select id, workspace_id, 'message', id from media`
  expect(await sweep(48, 3_600_000)).toMatchObject({ media: 0, blobs: 0 })
  await fresh.db.system`delete from media_references`
  expect(await sweep(48, 3_600_000)).toMatchObject({ media: 1, blobs: 1 })
  expect(await filesIn('files')).toEqual([])
  const [used] = await fresh.db.system<{ files: string; bytes: string }>`select files, bytes from media_usage`
  expect(used).toEqual({ files: '0', bytes: '0' })
})

test('bytes that come again while they are being deleted are there', async () => {
  const bytes = randomBytes(1_000)
  const uploads = uploadsOf(one)
  const signal = new AbortController().signal
  for (let round = 0; round < 20; round++) {
    const { media: first } = await uploads.receive(await announced(), incoming(bytes))
    if (first) await deleteMedia(fresh.db, first, actor)
    const [{ media: again }] = await Promise.all([
      uploads.receive(await announced(), incoming(bytes)),
      sweepMedia(fresh.db, blobs, { nowMs: Date.now() + 120_000, retentionMs: 0, signal }),
    ])
    const read: Buffer[] = []
    for await (const piece of blobs.read(again?.sha256 ?? '', 0, bytes.length)) read.push(piece)
    expect(Buffer.concat(read).equals(bytes)).toBe(true)
    if (again) await deleteMedia(fresh.db, again, actor)
  }
})

test('a name that is no part of ours is left alone, and one that leads elsewhere is refused', async () => {
  await expect(blobs.openPart('../x.1', 0)).rejects.toThrow(TypeError)
  await expect(blobs.keep(`${'0'.repeat(32)}.1`, '../../x')).rejects.toThrow(TypeError)
  const part = await blobs.openPart(`${'0'.repeat(32)}.1`, 0)
  await part.close()
  const path = join(folder, 'parts', `${'0'.repeat(32)}.1`)
  await utimes(path, 0, 0)
  const idle: string[] = []
  for await (const name of blobs.idleParts(Date.now())) idle.push(name)
  expect(idle).toEqual([`${'0'.repeat(32)}.1`])
})

test('an upload that is deleted before its end, or is too much then, leaves no bytes behind', async () => {
  const deleted = await announced()
  const bytes = randomBytes(1_000)
  const late: Incoming = {
    ...incoming(bytes),
    async scan() {
      await deleteMedia(fresh.db, deleted, actor)
    },
  }
  await expect(uploadsOf(one).receive(deleted, late)).rejects.toMatchObject({ code: 'already_uploaded' })
  expect([await filesIn('files'), await filesIn('parts')]).toEqual([[], []])

  const two = await Promise.allSettled(
    [await announced(), await announced()].map((media) =>
      uploadsOf(one).receive(media, { ...incoming(randomBytes(1_000)), quotaBytes: 1_500 }),
    ),
  )
  expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([(await filesIn('files')).length, await filesIn('parts')]).toEqual([1, []])
})

test('bytes whose row was not written once they were in their place are swept', async () => {
  const failing: Blobs = {
    ...blobs,
    async keep(...of) {
      await blobs.keep(...of)
      throw new Error('the database is gone')
    },
  }
  const uploads = openUploads({ db: fresh.db, blobs: failing, node: one, clock: systemClock })
  await expect(uploads.receive(await announced(), incoming(randomBytes(1_000)))).rejects.toThrow('gone')
  expect((await filesIn('files')).length).toBe(1)
  const signal = new AbortController().signal
  const swept = await sweepMedia(fresh.db, blobs, { nowMs: Date.now() + 120_000, retentionMs: 0, signal })
  expect([swept.blobs, await filesIn('files')]).toEqual([1, []])
})

test('uploads and deletions of the same bytes at once do not wait for each other for ever', async () => {
  const bytes = randomBytes(100)
  const uploads = uploadsOf(one)
  const round = async () => {
    for (let time = 0; time < 10; time++) {
      const { media } = await uploads.receive(await announced(), incoming(bytes))
      if (media) expect(await deleteMedia(fresh.db, media, actor)).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: 8 }, round))
  const [used] = await fresh.db.system<{ files: string; bytes: string }>`select files, bytes from media_usage`
  expect(used).toEqual({ files: '0', bytes: '0' })
  const [blob] = await fresh.db.system<{ uses: number }>`select uses from media_blobs`
  expect(blob?.uses).toBe(0)
})

test('a wrong offset does not cost the digest of what has come', async () => {
  let reads = 0
  const counted: Blobs = {
    ...blobs,
    readPart(name) {
      reads++
      return blobs.readPart(name)
    },
  }
  const uploads = openUploads({ db: fresh.db, blobs: counted, node: one, clock: systemClock })
  const { id } = await announced()
  const bytes = randomBytes(1_000)
  const piece = async (from: number, until: number) => uploads.receive(await now(id), incoming(bytes, { from, until }))
  await piece(0, 500)
  await expect(piece(400, 600)).rejects.toMatchObject({ code: 'offset_mismatch' })
  await piece(500, 600)
  expect(reads).toBe(0)
})
