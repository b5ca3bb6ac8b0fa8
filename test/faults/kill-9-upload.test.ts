/** kill -9 in the middle of an upload: nothing half there is served, what has come is kept, and the rest follows. */
import { hash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { testKey } from '../support/gateway.ts'
import { dataFolder, startService } from './support/service.ts'

test('an upload that kill -9 has cut goes on after the next start, to the byte', async () => {
  const SERVICE_DATA_DIR = await dataFolder()
  const environment = { SERVICE_DATA_DIR, SERVICE_BLOB_DIR: join(dirname(SERVICE_DATA_DIR), 'files') }
  const bytes = randomBytes(20_000_000)
  const first = await startService(environment)
  const authorization = `Bearer ${testKey}`
  const announced = await fetch(`${first.url}/v1/media`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ filename: 'f', bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }),
  })
  const { id, upload } = (await announced.json()) as { id: string; upload: { url: string } }
  const content = `/v1/media/${id}/content`
  const socket = connect(Number(new URL(first.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `PUT ${content} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
  )
  socket.write(bytes.subarray(0, 12_000_000))
  const offsetAt = async (url: string) => {
    const answer = await fetch(url + content, { method: 'HEAD', headers: { authorization } })
    return Number(answer.headers.get('upload-offset'))
  }
  await expect.poll(() => offsetAt(first.url), { timeout: 20_000 }).toBeGreaterThan(6_000_000)
  first.process.child.kill('SIGKILL')
  await first.process.end
  socket.destroy()

  const second = await startService(environment, first.endpoint)
  const read = () => fetch(`${second.url}/v1/files/${id}`, { headers: { authorization } })
  expect((await read()).status).toBe(404)
  const offset = await offsetAt(second.url)
  expect(offset).toBeGreaterThan(6_000_000)
  expect(offset).toBeLessThanOrEqual(12_000_000)
  // By the address that was signed before the crash.
  const rest = await fetch(second.url + upload.url, {
    method: 'PATCH',
    headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
    body: bytes.subarray(offset),
  })
  expect([rest.status, rest.headers.get('upload-offset')]).toEqual([204, '20000000'])
  const file = await read()
  expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true)
})
