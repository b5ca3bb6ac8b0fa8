/** A workspace is sent so many mails an hour, whatever fires or is tested; another one has its own. */
import { expect, test } from 'vitest'
import { mailAllowance } from '../../../actors/subscription/mail-allowance.ts'
import { firstWorkspaceId, newWorkspaceId } from '../../../store/id.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

test('an hour’s worth goes at once, then one every half minute', async () => {
  const clock = virtualClock()
  const take = mailAllowance(clock)
  const other = newWorkspaceId()
  for (let mail = 0; mail < 120; mail++) take(firstWorkspaceId)
  expect(() => take(firstWorkspaceId)).toThrow('120 mails an hour')
  expect(() => take(firstWorkspaceId)).toThrow(expect.objectContaining({ retryAfterMs: 30_000, isFinal: false }))
  take(other)
  await clock.advance(30_000)
  take(firstWorkspaceId)
  expect(() => take(firstWorkspaceId)).toThrow()
})
