/** Files as operators see them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, type MediaUnderTest, mediaUnderTest, png } from './support.ts'

let media: MediaUnderTest
beforeAll(async () => {
  media = await mediaUnderTest({ SERVICE_MEDIA_QUOTA_MB: '5' })
})
afterAll(() => media?.stop())

interface Page {
  items: { id: string; filename: string; status: string; owner: string; used_by: string[]; file: object | null }[]
  next_cursor: string | null
}

const list = async (query = ''): Promise<Page> => (await (await media.get(`/v1/admin/media${query}`)).json()) as Page

test('files are listed by pages and filters, counted, and deleted with an entry in the audit log', async () => {
  const { id } = await media.upload(png, { filename: 'First.PNG' })
  await media.upload(Buffer.from('some text'), { filename: 'second.txt' })
  const pending = await media.announce({ filename: 'third' })
  const names = ({ items }: Page) => items.map(({ filename }) => filename)
  expect(names(await list())).toEqual(['third', 'second.txt', 'First.PNG'])
  const first = await list('?limit=2')
  expect(names(first)).toEqual(['third', 'second.txt'])
  expect(names(await list(`?limit=2&cursor=${first.next_cursor}`))).toEqual(['First.PNG'])
  expect(names(await list('?q=first.p'))).toEqual(['First.PNG'])
  expect(names(await list('?type=image/'))).toEqual(['First.PNG'])
  const [waiting] = (await list('?status=pending')).items
  expect(waiting).toMatchObject({ id: pending, status: 'pending', used_by: [], file: null })
  const usage = await media.get('/v1/admin/media/usage')
  expect(await usage.json()).toEqual({ files: 2, bytes: png.length + 9, quota_bytes: 5_000_000 })

  expect((await media.post('/v1/admin/media/delete', { media_id: id })).status).toBe(200)
  const again = await media.post('/v1/admin/media/delete', { media_id: id })
  expect([again.status, await codeOf(again)]).toEqual([404, 'not_found'])
  expect(names(await list('?status=ready'))).toEqual(['second.txt'])
  const audit = (await (await media.get('/v1/admin/audit?limit=5')).json()) as {
    items: { action: string; target: string }[]
  }
  expect(audit.items).toContainEqual(expect.objectContaining({ action: 'media.delete', target: id }))
})

test('a setting that applies live is in effect when its change is answered', async () => {
  for (let megabytes = 6; megabytes < 26; megabytes++) {
    await media.post('/v1/admin/settings', { set: { SERVICE_MEDIA_QUOTA_MB: String(megabytes) } })
    const usage = await media.get('/v1/admin/media/usage')
    expect(await usage.json()).toMatchObject({ quota_bytes: megabytes * 1_000_000 })
  }
})
