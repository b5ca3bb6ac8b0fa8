/** Challenges over several nodes: issued at one, good once at whichever is asked. */
import { beforeEach, expect, it } from 'vitest'
import { type Challenge, type Challenges, type NewChallenge, ownChallenges } from '../../../http/auth/challenges.ts'
import { challengesOfNodes } from '../../../http/auth/challenges-of-nodes.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

const confirm: NewChallenge = {
  purpose: 'confirm',
  owner: 'ada',
  party: { id: 'admin.example.com', origin: 'https://admin.example.com' },
}

let between: BusBetween
let clock: VirtualClock
let one: Challenges
let other: Challenges
beforeEach(() => {
  between = busBetween()
  clock = virtualClock()
  const isLiving = (node: number) => node === 7 || node === 12
  const at = (node: number) =>
    challengesOfNodes({ own: ownChallenges(clock), bus: between.of(node), node, isLiving, clock })
  ;[one, other] = [at(7), at(12)]
})

async function redeemed(at: Challenges, id: string, purpose = confirm.purpose): Promise<Challenge | undefined> {
  const answer = at.redeem(id, purpose, confirm.owner)
  await clock.settle()
  return await answer
}

it('a challenge of one node is redeemed at another, once', async () => {
  const { id, text } = one.issue(confirm)
  expect(await redeemed(other, id)).toEqual({ ...confirm, text })
  expect(await redeemed(other, id)).toBeUndefined()
  expect(await redeemed(one, id)).toBeUndefined()
})

it('many nodes that redeem it at once get it once', async () => {
  const { id } = one.issue(confirm)
  const tries = Array.from({ length: 20 }, (_, n) => redeemed(n % 2 === 0 ? one : other, id))
  expect((await Promise.all(tries)).filter((each) => each !== undefined)).toHaveLength(1)
})

it('asked for another purpose elsewhere, it is spent', async () => {
  const { id } = one.issue(confirm)
  expect(await redeemed(other, id, 'register')).toBeUndefined()
  expect(await redeemed(one, id)).toBeUndefined()
})

it('of a node that does not answer within 2 s it is none', async () => {
  const { id } = one.issue(confirm)
  between.loses = () => true
  const asked = other.redeem(id, 'confirm', 'ada')
  await clock.advance(2_000)
  expect(await asked).toBeUndefined()
})

it('text that is no id, or the id of no living node, asks nobody', async () => {
  between.loses = () => {
    throw new Error('a message was sent')
  }
  for (const id of ['', 'x', '7', '7.', '.x', '1e3.x', `12.${'x'.repeat(65)}`, '12.\0', '9999999999999999.x', '13.x'])
    expect(await other.redeem(id, 'confirm', 'ada')).toBeUndefined()
})
