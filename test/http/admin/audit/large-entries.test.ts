/** The audit log full of its largest entries: exported and verified without holding the event loop. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyAudit } from '../../../../store/audit/chain.ts'
import { firstWorkspaceId } from '../../../../store/id.ts'
import { audited } from '../../../store/support/audit.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { watchLoop } from '../../../support/loop-gap.ts'

const entries = 600
let running: GatewayUnderTest
beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  const fields = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`f${at}`, '"\n'.repeat(500)]))
  for (let n = 0; n < entries; n++) await audited(running.db, { summary: { before: null, after: fields } })
}, 120_000)
afterAll(() => running.stop())

test('an export is read in pages that nobody feels', async () => {
  const answer = await running.get('/v1/admin/audit/export')
  const loop = watchLoop({ workMs: 30 })
  let bytes = 0
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
  loop.expectFree()
  expect(bytes).toBeGreaterThan(entries * 30_000)
})

test('a verification too', async () => {
  const loop = watchLoop({ workMs: 30 })
  const verdict = await verifyAudit(running.db, firstWorkspaceId)
  loop.expectFree()
  expect(verdict).toMatchObject({ problem: null, isComplete: true })
  expect(verdict.rows).toBeGreaterThanOrEqual(entries)
})
