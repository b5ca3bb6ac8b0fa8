/** Downloads: parts, caches, signed addresses, and that nothing that was uploaded runs in a browser. */
import { randomBytes } from 'node:crypto'
import { truncate } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedUrls } from '../../../http/media/signed-urls.ts'
import { codeOf, type MediaUnderTest, mediaUnderTest, png, type Uploaded } from './support.ts'

const bytes = randomBytes(700_001)
const secret = 'a secret of the test that is long enough'

let media: MediaUnderTest
let file: Uploaded
beforeAll(async () => {
  media = await mediaUnderTest({ SERVICE_MEDIA_TOKEN_SECRET: secret })
  file = await media.upload(bytes)
})
afterAll(() => media?.stop())

const read = (headers: Record<string, string> = {}, method = 'GET') =>
  media.ask(method, `/v1/files/${file.id}`, { headers })

test.each([
  ['bytes=0-0', 0, 1],
  ['bytes=10-19', 10, 20],
  ['bytes=700000-', 700_000, 700_001],
  ['bytes=-5', 699_996, 700_001],
  ['bytes=-9000000', 0, 700_001],
  ['bytes=5-90000000', 5, 700_001],
])('the range %s is answered with its bytes', async (range, from, until) => {
  const answer = await read({ range })
  expect(answer.status).toBe(206)
  expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${until - 1}/700001`)
  expect(answer.headers.get('content-length')).toBe(String(until - from))
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(from, until))).toBe(true)
})

test.each(['bytes=0-1,5-6', 'bytes=9-3', 'bytes=x-', 'items=0-5', 'bytes=-', 'bytes=1.5-2'])(
  'the range %s is answered with the whole',
  async (range) => {
    const answer = await read({ range })
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 700_001])
  },
)

test.each(['bytes=700001-', 'bytes=-0', 'bytes=999999999999-'])('the range %s names no byte', async (range) => {
  const answer = await read({ range })
  expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */700001'])
  expect(await codeOf(answer)).toBe('range_not_satisfiable')
})

test('the strong ETag is the digest, and answers If-None-Match and If-Range', async () => {
  const etag = `"${file.sha256}"`
  expect((await read()).headers.get('etag')).toBe(etag)
  const known = await read({ 'if-none-match': `W/"x", ${etag}` })
  expect([known.status, (await known.arrayBuffer()).byteLength]).toEqual([304, 0])
  const kept = (answer: Response) =>
    ['cache-control', 'content-security-policy', 'x-content-type-options'].map((name) => answer.headers.get(name))
  expect(kept(known)).toEqual(kept(await read()))
  expect((await read({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
  const changed = await read({ range: 'bytes=0-1', 'if-range': '"another"' })
  expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, 700_001])
})

test('HEAD says what GET would, without the bytes', async () => {
  const whole = await read({}, 'HEAD')
  expect([whole.status, whole.headers.get('content-length')]).toEqual([200, '700001'])
  const part = await read({ range: 'bytes=2-3' }, 'HEAD')
  expect([part.status, part.headers.get('content-length')]).toEqual([206, '2'])
})

test('a connection is good for the next request after a part', async () => {
  const own = new URL(media.url)
  const { Agent } = await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const get = (range: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { range, authorization: 'Bearer sk-test-key-of-the-first-start' }
      const asked = request(
        { host: own.hostname, port: own.port, path: `/v1/files/${file.id}`, headers, agent },
        (answer) => {
          let length = 0
          answer.on('data', (piece: Buffer) => {
            length += piece.length
          })
          answer.on('end', () => resolve(length))
        },
      )
      asked.on('error', reject)
      asked.end()
    })
  expect([await get('bytes=0-9'), await get('bytes=0-400000'), await get('bytes=-1')]).toEqual([10, 400_001, 1])
  agent.destroy()
})

test('a reader who stops reading holds no more than a piece of the file, and gets the rest when it goes on', async () => {
  const large = await media.upload(randomBytes(8_000_000))
  const own = new URL(media.url)
  const length = await new Promise<number>((resolve, reject) => {
    const headers = { authorization: 'Bearer sk-test-key-of-the-first-start' }
    const asked = request({ host: own.hostname, port: own.port, path: `/v1/files/${large.id}`, headers }, (answer) => {
      let read = 0
      answer.on('data', (piece: Buffer) => {
        read += piece.length
      })
      answer.pause()
      setTimeout(() => answer.resume(), 500)
      answer.on('end', () => resolve(read))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end()
  })
  expect(length).toBe(8_000_000)
})

test('what could run in a browser is bytes to be saved; what is shown is what its bytes are', async () => {
  const served = async (content: Uint8Array | string, filename: string) => {
    const { id } = await media.upload(Buffer.from(content as string), { filename, content_type: 'text/html' })
    const { headers } = await media.get(`/v1/files/${id}`)
    return [headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]
  }
  const download = ['application/octet-stream', 'attachment']
  expect(await served('<script>alert(1)</script>', 'a.html')).toEqual(download)
  expect(await served('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'a.svg')).toEqual(download)
  expect(await served('<?xml version="1.0"?><a/>', 'a.png')).toEqual(download)
  expect(await served('%PDF-1.7\n%âãÏÓ', 'a.pdf')).toEqual(download)
  expect(await served(png, 'a.html')).toEqual(['image/png', 'inline'])
  const { id } = await media.upload(png, { filename: `quote".png` })
  const { headers } = await media.get(`/v1/files/${id}`)
  expect(headers.get('content-disposition')).toBe("inline; filename*=UTF-8''quote%22.png")
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toBe('private, max-age=3600')
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
})

test('a signed address lets in whoever has it, for one thing, until it ends', async () => {
  const address = new URL(file.file.url, media.url)
  const stranger = (path: string, method = 'GET') => media.ask(method, path, { key: null })
  expect((await stranger(address.href)).status).toBe(200)
  expect((await stranger(address.href, 'HEAD')).status).toBe(200)
  const another = await media.upload(png)
  const forOther = await stranger(`/v1/files/${another.id}${address.search}`)
  expect([forOther.status, await codeOf(forOther)]).toEqual([403, 'signature_invalid'])
  const asUpload = await stranger(`/v1/media/${file.id}/content${address.search}`, 'PUT')
  expect([asUpload.status, await codeOf(asUpload)]).toEqual([403, 'signature_invalid'])
  const sig = address.searchParams.get('sig') ?? ''
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // The last letter has two bits that a decoder drops.
  const neighbour = letters[letters.indexOf(sig.slice(-1)) ^ 1]
  for (const [name, value] of [
    ['sig', `${sig.slice(0, -1)}${neighbour}`],
    ['sig', `${sig}=`],
    ['sig', `${sig.slice(0, -1)}ж`],
    ['kid', '00000000'],
  ] as const) {
    const changed = new URL(address)
    changed.searchParams.set(name, value)
    expect(await codeOf(await stranger(changed.href))).toBe('signature_invalid')
  }
  const longer = new URL(address)
  longer.searchParams.set('exp', '9999999999')
  expect(await codeOf(await stranger(longer.href))).toBe('signature_invalid')
  const at = (ms: number) => signedUrls(secret, { publicUrl: '', now: () => ms })
  const ended = at(0).sign('read', file.id as never, Date.now() - 1_000)
  const late = await stranger(ended)
  expect([late.status, await codeOf(late)]).toEqual([403, 'signature_expired'])
  expect((await stranger(`/v1/files/${file.id}`)).status).toBe(401)
})

test('an upload needs no credential where its address is signed, and that reads nothing', async () => {
  const announced = await media.post('/v1/media', { filename: 'x' })
  const { id, upload } = (await announced.json()) as { id: string; upload: { url: string } }
  expect((await media.ask('PUT', upload.url, { body: png, key: null })).status).toBe(200)
  const { search } = new URL(upload.url, media.url)
  expect((await media.ask('GET', `/v1/files/${id}${search}`, { key: null })).status).toBe(403)
})

test('a new address has the time that was asked for', async () => {
  const answer = await media.post(`/v1/files/${file.id}/url`, { ttl_s: 60 })
  const { url, expires_at } = (await answer.json()) as { url: string; expires_at: string }
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(50_000)
  expect(Date.parse(expires_at) - Date.now()).toBeLessThan(61_000)
  expect((await media.ask('GET', url, { key: null })).status).toBe(200)
  expect((await media.post(`/v1/files/${file.id}/url`, { ttl_s: 90_000 })).status).toBe(400)
})

test('a file whose bytes were cut on the disk is an error, and one that is cut while it is read never looks whole', async () => {
  const { id, sha256 } = await media.upload(randomBytes(20_000_000))
  const path = join(media.folder, 'files', sha256.slice(0, 2), sha256.slice(2))
  const own = new URL(media.url)
  const cut = new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer sk-test-key-of-the-first-start' }
    const asked = request({ host: own.hostname, port: own.port, path: `/v1/files/${id}`, headers }, (answer) => {
      answer.pause()
      void truncate(path, 400_000).then(() => answer.resume())
      answer.on('end', resolve)
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end()
  })
  await expect(cut).rejects.toThrow()
  const answer = await media.get(`/v1/files/${id}`)
  expect([answer.status, await codeOf(answer)]).toEqual([500, 'blob_missing'])
  expect(media.lines.some(({ code }) => code === 'blob_missing')).toBe(true)
})
