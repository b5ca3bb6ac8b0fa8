/** Challenges for authenticators, on virtual time: each once, for a while, for one thing, and no more than there is room for. */
import { describe, expect, it } from 'vitest'
import {
  type ChallengePurpose,
  challengeForMs,
  challengesMax,
  challengesOfOwnerMax,
  ownChallenges,
} from '../../../http/auth/challenges.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const party = { id: 'admin.example.com', origin: 'https://admin.example.com' }
const challenge = (purpose: ChallengePurpose, owner = 'ada') => ({ purpose, owner, party })

describe('a challenge', () => {
  it('is good once', () => {
    const kept = ownChallenges(virtualClock())
    const { id, text } = kept.issue(challenge('confirm'))
    expect(Buffer.from(text, 'base64url')).toHaveLength(32)
    expect(kept.redeem(id, 'confirm', 'ada')).toMatchObject({ text, party })
    expect(kept.redeem(id, 'confirm', 'ada')).toBeUndefined()
  })

  it('is good for five minutes', async () => {
    const clock = virtualClock()
    const kept = ownChallenges(clock)
    const [inTime, late] = [kept.issue(challenge('confirm')), kept.issue(challenge('confirm'))]
    await clock.advance(challengeForMs - 1)
    expect(kept.redeem(inTime.id, 'confirm', 'ada')).toBeDefined()
    await clock.advance(1)
    expect(kept.redeem(late.id, 'confirm', 'ada')).toBeUndefined()
  })

  it('is spent by whoever shows it for something else, or as somebody else', () => {
    const kept = ownChallenges(virtualClock())
    const wrong: [ChallengePurpose, string][] = [
      ['register', 'ada'],
      ['second_factor', 'ada'],
      ['confirm', 'bob'],
    ]
    for (const [purpose, owner] of wrong) {
      const { id } = kept.issue(challenge('confirm'))
      expect(kept.redeem(id, purpose, owner)).toBeUndefined()
      expect(kept.redeem(id, 'confirm', 'ada')).toBeUndefined()
    }
  })

  it('of a stranger is no challenge of an operator', () => {
    const kept = ownChallenges(virtualClock())
    const { id } = kept.issue(challenge('sign_in'))
    expect(kept.redeem(id, 'confirm', 'ada')).toBeUndefined()
    expect(kept.redeem(id, 'sign_in', undefined)).toBeDefined()
  })
})

describe('the room', () => {
  it('holds a few of one owner: the oldest goes', () => {
    const kept = ownChallenges(virtualClock())
    const ids = Array.from({ length: challengesOfOwnerMax + 1 }, () => kept.issue(challenge('confirm')).id)
    const [oldest = '', next = ''] = ids
    expect(kept.redeem(oldest, 'confirm', 'ada')).toBeUndefined()
    expect(kept.redeem(next, 'confirm', 'ada')).toBeDefined()
  })

  it('is full at its bound: the oldest goes', () => {
    const kept = ownChallenges(virtualClock())
    const ids = Array.from(
      { length: challengesMax + 1 },
      (_, at) => kept.issue(challenge('sign_in', `address ${at}`)).id,
    )
    const [oldest = '', next = ''] = ids
    expect(kept.redeem(oldest, 'sign_in', undefined)).toBeUndefined()
    expect(kept.redeem(next, 'sign_in', undefined)).toBeDefined()
  })

  it('of strangers is not that of operators: no flood pushes these out', () => {
    const kept = ownChallenges(virtualClock())
    const { id } = kept.issue(challenge('second_factor'))
    for (let at = 0; at <= challengesMax; at++) kept.issue(challenge('sign_in', `address ${at}`))
    expect(kept.redeem(id, 'second_factor', 'ada')).toBeDefined()
  })
})
