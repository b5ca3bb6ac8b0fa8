/** The policy of a channel: what it is when nothing is said, and what it cannot be. */
import { expect, test } from 'vitest'
import { ChannelPolicy } from '../../../actors/channel/policy.ts'

test('a policy that says nothing is the one that is documented', () => {
  expect(ChannelPolicy.parse({})).toEqual({
    agent: 'default',
    turns_max: 64,
    backlog_max: 10_000,
    answers: 'each',
    attempts_max: 12,
    age_max_s: 86_400,
    deliveries_max: 16,
    rate_per_s: 100,
    send_timeout_s: 15,
  })
})

test.each([
  ['turns_max', 0],
  ['backlog_max', 0],
  ['backlog_max', 1_000_001],
  ['answers', 'never'],
  ['attempts_max', 0],
  ['attempts_max', 101],
  ['age_max_s', 30 * 86_400 + 1],
  ['deliveries_max', 0],
  ['rate_per_s', 0],
  ['send_timeout_s', 301],
  ['send_timeout_s', 1.5],
  ['unheard_of', 1],
])('%s cannot be %s', (name, value) => {
  expect(ChannelPolicy.safeParse({ [name]: value }).success).toBe(false)
})
