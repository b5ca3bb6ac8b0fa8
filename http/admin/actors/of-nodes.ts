/** The actors of each node. */
import { type HereAmongNodes, ofNodes } from '../nodes/of-nodes.ts'
import { ActorPage, ActorQuestion, type ActorSources, actorPage } from './page.ts'

export interface ActorsOfNodes {
  /** The number of this node. */
  readonly node: number
  living(): readonly number[]
  /** Undefined: the node does not answer within a second. */
  page(node: number, question: ActorQuestion): Promise<ActorPage | undefined>
}

export function actorsOfNodes(
  here: HereAmongNodes,
  { living, ...sources }: ActorSources & { living(): readonly number[] },
): ActorsOfNodes {
  const page = ofNodes<ActorQuestion, ActorPage>(here, {
    kinds: { question: 'node.actors', answer: 'node.actors.are' },
    question: ActorQuestion,
    answer: ActorPage,
    own: (question) => actorPage(sources, question),
  })
  return { node: here.node, living, page }
}
