/** Whose files a caller reaches, and how many a workspace may have. */
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyDigest, keyHint, newKeyText } from '../../../http/auth/key-text.ts'
import { createApiKey } from '../../../store/api-keys/changes.ts'
import { type MediaId, newApiKeyId, newWorkspaceId, uuidOf } from '../../../store/id.ts'
import { codeOf, type MediaUnderTest, mediaUnderTest, png } from './support.ts'

let media: MediaUnderTest
let foreign: string
beforeAll(async () => {
  media = await mediaUnderTest({ SERVICE_MEDIA_QUOTA_MB: '1', SERVICE_MEDIA_MAX_UPLOAD_MB: '5' })
  const workspaceId = newWorkspaceId()
  await media.db.system`insert into workspaces (id, name) values (${uuidOf(workspaceId)}, 'another')`
  foreign = newKeyText()
  await createApiKey(media.db, {
    ...{ id: newApiKeyId(), workspaceId, name: 'foreign', kind: 'service', scopes: ['*'], rateLimitRpm: null },
    ...{ expiresAt: null, hash: Buffer.from(keyDigest(foreign), 'hex'), hint: keyHint(foreign), createdBy: 'test' },
  })
})
afterAll(() => media?.stop())

test('another workspace finds nothing, and is told the same as of what never was', async () => {
  const { id } = await media.upload(png)
  const nobody = `media_${'0'.repeat(32)}`
  for (const [method, path] of [
    ['GET', (of: string) => `/v1/media/${of}`],
    ['DELETE', (of: string) => `/v1/media/${of}`],
    ['GET', (of: string) => `/v1/files/${of}`],
    ['GET', (of: string) => `/v1/media/${of}/content`],
    ['PUT', (of: string) => `/v1/media/${of}/content`],
  ] as const) {
    const body = method === 'PUT' ? { body: 'x' } : {}
    const answers = await Promise.all([id, nobody].map((of) => media.ask(method, path(of), { key: foreign, ...body })))
    const [one, other] = await Promise.all(answers.map(async (answer) => [answer.status, await codeOf(answer)]))
    expect(one).toEqual([404, 'not_found'])
    expect(other).toEqual(one)
  }
  expect((await media.get(`/v1/files/${id}`)).status).toBe(200)
})

test('a ticket reaches what was uploaded to its conversation, and nothing else of its workspace', async () => {
  const ticketOf = async () => {
    const answer = await media.post('/v1/web/tickets', {})
    return ((await answer.json()) as { ticket: string }).ticket
  }
  const [one, other] = [await ticketOf(), await ticketOf()]
  const { id: ofKey } = await media.upload(png)
  const announced = await media.ask('POST', '/v1/media', {
    ...{ key: one, body: JSON.stringify({ filename: 'x.png' }), headers: { 'content-type': 'application/json' } },
  })
  const { id } = (await announced.json()) as { id: string }
  expect((await media.ask('PUT', `/v1/media/${id}/content`, { key: one, body: png })).status).toBe(200)
  const read = async (of: string, key: string) => (await media.ask('GET', `/v1/files/${of}`, { key })).status
  expect([await read(id, one), await read(id, other), await read(ofKey, one)]).toEqual([200, 404, 404])
})

test('what uses a file keeps it', async () => {
  const { id } = await media.upload(png)
  const uuid = uuidOf(id as MediaId)
  await media.db.system`
    insert into media_references (media_id, workspace_id, kind, id) select id, workspace_id, 'message', id from media where id = ${uuid}`
  const refused = await media.ask('DELETE', `/v1/media/${id}`)
  expect([refused.status, await codeOf(refused)]).toEqual([409, 'media_in_use'])
  await media.db.system`delete from media_references where media_id = ${uuid}`
  expect((await media.ask('DELETE', `/v1/media/${id}`)).status).toBe(200)
})

test('a workspace has no more bytes than its quota, however many uploads race to it', async () => {
  const uploads = await Promise.all(Array.from({ length: 8 }, () => media.announce()))
  const answers = await Promise.all(
    uploads.map((id, n) => media.ask('PUT', `/v1/media/${id}/content`, { body: Buffer.alloc(400_000, n) })),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
  expect(statuses.filter((status) => status === 429)).toHaveLength(6)
  const [used] = await media.db.system<{ bytes: number }>`
    select sum(bytes)::float8 as bytes from media_usage`
  expect(used?.bytes).toBeLessThanOrEqual(1_000_000)
  const announced = await media.post('/v1/media', { filename: 'x', bytes: 900_000 })
  expect(await codeOf(announced)).toBe('storage_quota_exceeded')
})

test('nobody reads a file before the scanner has seen it', async () => {
  let verdict = 200
  const seen: number[] = []
  const scanner = createServer((asked, answer) => {
    let bytes = 0
    asked.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    asked.on('end', () => {
      seen.push(bytes)
      answer.writeHead(verdict).end()
    })
  })
  await new Promise<void>((resolve) => scanner.listen(0, '127.0.0.1', resolve))
  const { port } = scanner.address() as { port: number }
  const scanned = await mediaUnderTest({ SERVICE_MEDIA_SCAN_URL: `http://127.0.0.1:${port}/scan` })
  try {
    await scanned.upload(png)
    expect(seen).toEqual([png.length])
    verdict = 406
    const bad = await scanned.announce()
    const refused = await scanned.ask('PUT', `/v1/media/${bad}/content`, { body: png })
    expect([refused.status, await codeOf(refused)]).toEqual([422, 'media_refused'])
    verdict = 500
    const unknown = await scanned.ask('PUT', `/v1/media/${bad}/content`, { body: png })
    expect([unknown.status, await codeOf(unknown)]).toEqual([503, 'media_scan_failed'])
    expect((await scanned.get(`/v1/files/${bad}`)).status).toBe(404)
    // What has come is kept: the upload is ended when the scanner answers.
    verdict = 200
    const ended = await scanned.ask('PATCH', `/v1/media/${bad}/content`, {
      body: '',
      headers: {
        ...{ 'content-type': 'application/offset+octet-stream', 'upload-offset': String(png.length) },
        'upload-length': String(png.length),
      },
    })
    expect(ended.status).toBe(204)
    expect((await scanned.get(`/v1/files/${bad}`)).status).toBe(200)
  } finally {
    await scanned.stop()
    scanner.close()
  }
})
