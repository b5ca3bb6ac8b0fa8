/** Uploads: whole, in pieces, cut, refused; nothing half there is ever served. */
import { hash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testKey } from '../../support/gateway.ts'
import { codeOf, type MediaUnderTest, mediaUnderTest, png } from './support.ts'

let media: MediaUnderTest
beforeAll(async () => {
  media = await mediaUnderTest({ SERVICE_MEDIA_MAX_UPLOAD_MB: '8' })
})
afterAll(() => media?.stop())

const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

const patch = (id: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}) =>
  media.ask('PATCH', `/v1/media/${id}/content`, {
    body: bytes,
    headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset), ...headers },
  })

const partsOf = async (id: string): Promise<string[]> =>
  (await readdir(join(media.folder, 'parts'))).filter((name) => name.startsWith(id.slice('media_'.length)))

test('a file comes back as it went up, with its digest and what its bytes are', async () => {
  const uploaded = await media.upload(png, {
    ...{ filename: 'пиксель.png', content_type: 'text/html', purpose: 'vision' },
    ...{ bytes: png.length, sha256: sha256(png).toUpperCase() },
  })
  expect(uploaded).toMatchObject({ status: 'ready', bytes: png.length, sha256: sha256(png), content_type: 'image/png' })
  const known = await media.get(`/v1/media/${uploaded.id}`)
  expect(await known.json()).toMatchObject({ filename: 'пиксель.png', purpose: 'vision', declared_type: 'text/html' })
  const file = await media.get(`/v1/files/${uploaded.id}`)
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png)
  expect(await partsOf(uploaded.id)).toEqual([])
})

test('the same bytes take their place on the disk once, and stay until the last file of them is gone', async () => {
  const bytes = randomBytes(1_000)
  const one = await media.upload(bytes)
  const other = await media.upload(bytes)
  const [blob] = await media.db.system<{ uses: number }>`
    select uses from media_blobs where sha256 = ${Buffer.from(one.sha256, 'hex')}`
  expect(blob?.uses).toBe(2)
  expect((await media.ask('DELETE', `/v1/media/${one.id}`)).status).toBe(200)
  expect((await media.get(`/v1/files/${one.id}`)).status).toBe(404)
  expect((await media.ask('DELETE', `/v1/media/${one.id}`)).status).toBe(404)
  const file = await media.get(`/v1/files/${other.id}`)
  expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes)
})

test('an upload goes on in pieces where it was, and a wrong place is refused', async () => {
  const bytes = randomBytes(300_000)
  const id = await media.announce({ bytes: bytes.length, sha256: sha256(bytes) })
  expect((await patch(id, 0, bytes.subarray(0, 100_000))).headers.get('upload-offset')).toBe('100000')
  const wrong = await patch(id, 99_999, bytes.subarray(99_999))
  expect([wrong.status, await codeOf(wrong)]).toEqual([409, 'offset_mismatch'])
  const head = await media.ask('HEAD', `/v1/media/${id}/content`)
  expect([head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual(['100000', '300000'])
  expect((await media.get(`/v1/files/${id}`)).status).toBe(404)
  const last = await patch(id, 100_000, bytes.subarray(100_000))
  expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '300000'])
  expect((await (await media.get(`/v1/media/${id}`)).json()) as object).toMatchObject({
    status: 'ready',
    sha256: sha256(bytes),
  })
  expect(await codeOf(await patch(id, 0, bytes))).toBe('already_uploaded')
})

test('what a cut connection has brought is kept, and nothing of it is served before the rest has come', async () => {
  const bytes = randomBytes(600_000)
  const id = await media.announce({ bytes: bytes.length, sha256: sha256(bytes) })
  const socket = connect(Number(new URL(media.url).port), '127.0.0.1')
  socket.write(
    `PUT /v1/media/${id}/content HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testKey}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
  )
  socket.write(bytes.subarray(0, 400_000))
  await vi.waitFor(async () => {
    const stands = await media.ask('GET', `/v1/media/${id}/content`)
    expect(((await stands.json()) as { offset: number }).offset).toBe(400_000)
  })
  const beside = await patch(id, 0, bytes)
  expect([beside.status, await codeOf(beside)]).toEqual([409, 'upload_in_progress'])
  socket.destroy()
  expect((await media.get(`/v1/files/${id}`)).status).toBe(404)
  // The service has to see first that the other connection is gone.
  const goOn = async () => expect((await patch(id, 400_000, bytes.subarray(400_000))).status).toBe(204)
  await vi.waitFor(goOn, { timeout: 10_000, interval: 100 })
  const file = await media.get(`/v1/files/${id}`)
  expect(sha256(Buffer.from(await file.arrayBuffer()))).toBe(sha256(bytes))
})

test('bytes that are not those that were declared leave nothing, and the upload begins anew', async () => {
  const bytes = randomBytes(5_000)
  const id = await media.announce({ sha256: sha256(randomBytes(5)) })
  const other = await media.ask('PUT', `/v1/media/${id}/content`, { body: bytes })
  expect([other.status, await codeOf(other)]).toEqual([422, 'digest_mismatch'])
  expect(await partsOf(id)).toEqual([])
  const short = await media.announce({ bytes: 4_999 })
  expect(await codeOf(await media.ask('PUT', `/v1/media/${short}/content`, { body: bytes }))).toBe('digest_mismatch')
  const right = await media.ask('PUT', `/v1/media/${short}/content`, { body: bytes.subarray(1) })
  expect(right.status).toBe(200)
})

test('a connection is good for the next request, however much of a refused body was waiting', async () => {
  const { id } = await media.upload(png)
  const bytes = randomBytes(2_000_000)
  for (let n = 0; n < 10; n++) {
    const refused = await media.ask('PUT', `/v1/media/${id}/content`, { body: bytes })
    expect(await codeOf(refused)).toBe('already_uploaded')
    expect((await media.get(`/v1/media/${id}`)).status).toBe(200)
  }
})

test('a file that is too long is refused as soon as that is known', async () => {
  const announced = await media.post('/v1/media', { filename: 'x', bytes: 8_000_001 })
  expect([announced.status, await codeOf(announced)]).toEqual([413, 'body_too_large'])
  const id = await media.announce()
  const declared = await media.ask('PUT', `/v1/media/${id}/content`, { body: Buffer.alloc(8_000_001) })
  expect([declared.status, await codeOf(declared)]).toEqual([413, 'body_too_large'])
})

test('an empty file is a file', async () => {
  const { id, bytes } = await media.upload(new Uint8Array(0), { bytes: 0 })
  expect(bytes).toBe(0)
  const file = await media.get(`/v1/files/${id}`)
  expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, 0])
})

test('what is wrong with a request is said in the form of every error', async () => {
  const cases: [Promise<Response> | Response, number, string][] = [
    [await media.post('/v1/media', { filename: '../../etc/passwd' }), 400, 'bad_request'],
    [await media.post('/v1/media', { filename: 'a\u0000b' }), 400, 'bad_request'],
    [await media.post('/v1/media', { filename: 'x', sha256: 'zz' }), 400, 'bad_request'],
    [await media.post('/v1/media', { filename: 'x', bytes: -1 }), 400, 'bad_request'],
    [await media.post('/v1/media', { filename: 'x', more: 1 }), 400, 'bad_request'],
    [await media.ask('PUT', '/v1/media/media_zz/content', { body: 'x' }), 400, 'bad_request'],
    [await media.ask('PUT', `/v1/media/media_${'0'.repeat(32)}/content`, { body: 'x' }), 404, 'not_found'],
    [await patch(await media.announce(), 0, png), 400, 'bad_request'],
    [await patch(await media.announce({ bytes: 9 }), 0, png, { 'upload-offset': 'one' }), 400, 'bad_request'],
    [await patch(await media.announce({ bytes: 9 }), 0, png), 413, 'body_too_large'],
    [
      await patch(await media.announce({ bytes: 9 }), 0, png, { 'content-type': 'image/png' }),
      415,
      'unsupported_media_type',
    ],
  ]
  for (const [answer, status, code] of cases) {
    const response = await answer
    expect([response.status, await codeOf(response)]).toEqual([status, code])
  }
})

test('a request without a length is told to send one', async () => {
  const id = await media.announce()
  const socket = connect(Number(new URL(media.url).port), '127.0.0.1')
  socket.write(`PUT /v1/media/${id}/content HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testKey}\r\n\r\n`)
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  socket.destroy()
  expect(answer).toContain('411')
  expect(answer).toContain('length_required')
})

test.each(['photo\u202egnp.exe', 'a\u2066b', 'a\u2028b', 'a\nb', '../a', 'a\\b'])(
  'the name %j, which looks like another or is more than a name, is refused',
  async (filename) => {
    expect((await media.post('/v1/media', { filename })).status).toBe(400)
  },
)

test('a size that is less than what has come is refused', async () => {
  const id = await media.announce()
  expect((await patch(id, 0, Buffer.from('12345'), { 'upload-length': '10' })).status).toBe(204)
  const less = await patch(id, 5, Buffer.alloc(0), { 'upload-length': '3' })
  expect([less.status, await codeOf(less)]).toEqual([413, 'body_too_large'])
})

test('large uploads at once by signed addresses are those of nobody unknown', async () => {
  const bytes = randomBytes(6_000_000)
  const statuses = Array.from({ length: 10 }, async () => {
    const announced = await media.post('/v1/media', { filename: 'x' })
    const { upload } = (await announced.json()) as { upload: { url: string } }
    return (await media.ask('PUT', upload.url, { body: bytes, key: null })).status
  })
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
})
