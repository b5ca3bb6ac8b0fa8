/** What is kept and how much it is, as an operator sees it. */
import { expect, onTestFinished, test } from 'vitest'
import { gatewayUnderTest } from '../../support/gateway.ts'

test('each table that grows is listed with how long it is kept, its size, its parts and its oldest row', async () => {
  const gateway = await gatewayUnderTest({ SERVICE_STEP_RETENTION_DAYS: '60' })
  onTestFinished(() => gateway.stop())
  const message = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  await gateway.post('/v1/chat/completions', message, { 'x-service-conversation-id': 'new' })
  const shown = (await (await gateway.get('/v1/admin/retention')).json()) as {
    items: { table: string; bytes: number; parts: number; days: number | null; oldest_at: string | null }[]
    database_bytes: number
  }
  const of = (table: string) => shown.items.find((item) => item.table === table)
  expect(of('turn_steps')).toMatchObject({ days: 60, deleted_by: 'part', setting: 'SERVICE_STEP_RETENTION_DAYS' })
  expect(of('turn_steps')?.parts).toBeGreaterThan(1)
  expect(of('messages')).toMatchObject({ days: null, setting: null })
  expect(of('audit_log')).toMatchObject({ days: null, setting: 'SERVICE_AUDIT_RETENTION_DAYS' })
  expect(Date.now() - Date.parse(of('messages')?.oldest_at ?? '')).toBeLessThan(60_000)
  expect(shown.database_bytes).toBeGreaterThan(shown.items.reduce((sum, { bytes }) => sum + bytes, 0))
})
