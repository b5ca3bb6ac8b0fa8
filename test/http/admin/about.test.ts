/** What runs here, told to those who may see the overview. */
import { expect, test } from 'vitest'
import { gatewayUnderTest } from '../../support/gateway.ts'

test('versions, the database and how long the process has run are told, and no secret', async () => {
  const running = await gatewayUnderTest()
  try {
    const answer = await running.get('/v1/admin/about')
    const text = await answer.text()
    expect(JSON.parse(text)).toEqual({
      version: '0.0.0-test',
      licence: 'Apache-2.0',
      this_node: running.gateway.node,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      database: { version: expect.stringMatching(/^\d+\.\d+/), is_built_in: false },
      uptime_s: expect.any(Number),
      memory_bytes: expect.any(Number),
    })
    expect(text).not.toContain('postgres://')
    const made = await running.post('/v1/admin/apikeys', { name: 'chat only', scopes: ['chat'] })
    const { key } = (await made.json()) as { key: string }
    expect((await running.get('/v1/admin/about', { authorization: `Bearer ${key}` })).status).toBe(403)
  } finally {
    await running.stop()
  }
})
