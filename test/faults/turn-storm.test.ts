/** A defect in every turn at once: each caller hears of its own, conversations live on, and their posts are kept. */
import { expect, test } from 'vitest'
import { newConversationId } from '../../store/id.ts'
import { conversations } from './support/conversations.ts'
import { turnsByStatus } from './support/service.ts'

const defect = async (): Promise<string> => {
  throw new TypeError('a defect')
}
const outcome = (post: Promise<string>) =>
  post.catch((error: { code: string; status: number }) => `${error.status} ${error.code}`)

test('turns that crash by the hundred: typed errors, failed records, no conversation goes down with its turn', async () => {
  const { system, db, answer, post, texts } = await conversations()
  const stored = Array.from({ length: 100 }, newConversationId)
  await Promise.all(stored.map((conversation) => post('before', { conversation, isNew: true })))
  answer(defect)
  const outcomes = await Promise.all([
    ...Array.from({ length: 200 }, () => outcome(post('on its own'))),
    // Three in each: the second and third wait behind a turn that crashes.
    ...stored.flatMap((conversation) => [1, 2, 3].map((at) => outcome(post(`${at}`, { conversation })))),
  ])
  expect(new Set(outcomes)).toEqual(new Set(['500 SVC-TURN']))
  expect(system.counts).toMatchObject({ crashes: 500, restarts: 0 })
  await expect.poll(() => turnsByStatus(db)).toEqual({ completed: 100, failed: 500 })

  answer(async () => 'well again')
  const after = await Promise.all(stored.map((conversation) => post('after', { conversation })))
  expect(new Set(after)).toEqual(new Set(['well again']))
  for (const conversation of stored)
    expect(await texts(conversation)).toEqual(['before', 'yes', '1', '2', '3', 'after', 'well again'])
})
