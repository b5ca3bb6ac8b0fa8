/** What is remembered of conversations stays within its bounds, the summary counted too. */
import { expect, test } from 'vitest'
import { type ConversationPast, emptyPast } from '../../../actors/agent/context/past.ts'
import { histories } from '../../../actors/conversation/histories.ts'
import { newConversationId } from '../../../store/id.ts'

const past = (characters: number, summary = 0): ConversationPast => ({
  ...emptyPast,
  summary: summary > 0 ? { text: 's'.repeat(summary), seq: 1 } : null,
  messages: [{ message: { role: 'user', content: 'x'.repeat(characters) }, turnSeq: 2 }],
})

test('the conversations spoken with last are kept, the others make room', () => {
  const stored = histories({ charactersMax: 5_000, charactersOfOneMax: 5_000 })
  const ids = [newConversationId(), newConversationId(), newConversationId()] as const
  for (const id of ids) stored.keep(id, past(1_500))
  expect(stored.get(ids[0])).toBeUndefined()
  expect([stored.get(ids[1]), stored.get(ids[2])]).toEqual([past(1_500), past(1_500)])
  stored.forget(ids[1])
  expect(stored.size).toBe(1)
})

test('one that is too long by itself is not kept, whether by its messages or by its summary', () => {
  const stored = histories({ charactersMax: 10_000, charactersOfOneMax: 2_000 })
  const id = newConversationId()
  for (const long of [past(2_000), past(10, 2_000)]) {
    stored.keep(id, past(10))
    stored.keep(id, long)
    expect(stored.get(id)).toBeUndefined()
  }
})
