/** Challenges that one node issues and any redeems: the number of the node that keeps it is in its id. */
import { z } from 'zod'
import type { Bus } from '../../runtime/nodes/bus.ts'
import { questions } from '../../runtime/nodes/questions.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { type Challenges, challengePurposes, type OwnChallenges } from './challenges.ts'

const Question = z.object({
  id: z.string().max(100),
  purpose: z.enum(challengePurposes),
  owner: z.string().max(200).optional(),
})
const Answer = z.object({
  challenge: z
    .object({
      purpose: z.enum(challengePurposes),
      owner: z.string(),
      party: z.object({ id: z.string(), origin: z.string() }),
      text: z.string(),
    })
    .optional(),
})

export interface ChallengesOfNodes {
  own: OwnChallenges
  bus: Bus
  /** The number of this node. */
  node: number
  isLiving(node: number): boolean
  clock: Clock
}

export function challengesOfNodes({ own, bus, node, isLiving, clock }: ChallengesOfNodes): Challenges {
  const ask = questions<z.infer<typeof Question>, z.infer<typeof Answer>>({
    ...{ bus, clock },
    kinds: { question: 'challenge.redeem', answer: 'challenge.redeemed' },
    withinMs: seconds(2),
    askedMax: 1_000,
    isQuestion: is(Question),
    isAnswer: is(Answer),
    answer: ({ id, purpose, owner }) => ({ challenge: own.redeem(id, purpose, owner) }),
  })
  return {
    issue(challenge) {
      const { id, text } = own.issue(challenge)
      return { id: `${node}.${id}`, text }
    },
    async redeem(id, purpose, owner) {
      const [, number, rest = ''] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(id) ?? []
      const keeper = Number(number)
      if (keeper === node) return own.redeem(rest, purpose, owner)
      return isLiving(keeper) ? (await ask(keeper, { id: rest, purpose, owner }))?.challenge : undefined
    },
  }
}

function is<Body>(shape: z.ZodType<Body>) {
  return (body: unknown): body is Body => shape.safeParse(body).success
}
