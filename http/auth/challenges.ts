/**
 * Challenges that authenticators have to sign. Each is valid once, for five minutes, for one purpose, and ends with the process
 * that issued it. Those of strangers are stored separately, so that a flood of them cannot push out the others.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { RelyingParty } from './passkeys.ts'

export const challengePurposes = ['register', 'second_factor', 'confirm', 'sign_in'] as const
export type ChallengePurpose = (typeof challengePurposes)[number]

export interface NewChallenge {
  purpose: ChallengePurpose
  /** For whom it was issued: an operator, a session, or a stranger's address. */
  owner: string
  party: RelyingParty
}

export interface Challenge extends NewChallenge {
  /** 256 random bits, base64url. */
  text: string
}

export interface Challenges {
  issue(challenge: NewChallenge): { id: string; text: string }
  /** Uses it up, also where it was issued for another purpose. @param owner undefined: anybody */
  redeem(id: string, purpose: ChallengePurpose, owner: string | undefined): Promise<Challenge | undefined>
}

/** Of this process. */
export interface OwnChallenges extends Pick<Challenges, 'issue'> {
  redeem(...wish: Parameters<Challenges['redeem']>): Challenge | undefined
}

export const challengeForMs = minutes(5)
export const challengesMax = 10_000
/** Per owner; past it the owner's oldest is dropped. */
export const challengesOfOwnerMax = 10

export function ownChallenges(clock: Clock): OwnChallenges {
  const ofStrangers = challengeStore(clock)
  const ofOperators = challengeStore(clock)
  const storeOf = (purpose: ChallengePurpose) => (purpose === 'sign_in' ? ofStrangers : ofOperators)
  return {
    issue: (challenge) => storeOf(challenge.purpose).open(challenge),
    redeem(id, purpose, owner) {
      const challenge = storeOf(purpose).take(id)
      const isMatch = challenge?.purpose === purpose && (owner === undefined || challenge.owner === owner)
      return isMatch ? challenge : undefined
    },
  }
}

interface PendingChallenge {
  challenge: Challenge
  untilMs: number
}

interface ChallengeStore {
  open(challenge: NewChallenge): { id: string; text: string }
  take(id: string): Challenge | undefined
}

function challengeStore(clock: Clock): ChallengeStore {
  /** In the order of their making, which is the order of their expiry. */
  const pending = new Map<string, PendingChallenge>()
  const owned = new Map<string, Set<string>>()

  function drop(id: string): PendingChallenge | undefined {
    const found = pending.get(id)
    if (!found) return undefined
    pending.delete(id)
    const ids = owned.get(found.challenge.owner)
    ids?.delete(id)
    if (ids?.size === 0) owned.delete(found.challenge.owner)
    return found
  }

  function makeRoom(owner: string): void {
    for (const [id, { untilMs }] of pending) {
      if (untilMs > clock.elapsed() && pending.size < challengesMax) break
      drop(id)
    }
    const ids = owned.get(owner)
    const [oldest] = ids ?? []
    if (ids && oldest !== undefined && ids.size >= challengesOfOwnerMax) drop(oldest)
  }

  return {
    open(challenge) {
      makeRoom(challenge.owner)
      const id = randomBytes(16).toString('base64url')
      const text = randomBytes(32).toString('base64url')
      pending.set(id, { challenge: { ...challenge, text }, untilMs: clock.elapsed() + challengeForMs })
      const ids = owned.get(challenge.owner)
      if (ids) ids.add(id)
      else owned.set(challenge.owner, new Set([id]))
      return { id, text }
    },
    take(id) {
      const found = drop(id)
      return found && found.untilMs > clock.elapsed() ? found.challenge : undefined
    },
  }
}
