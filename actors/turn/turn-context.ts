/** What the actor of a turn holds, and what its work sees of it. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { TurnId } from '../../store/id.ts'
import type { Services } from '../services.ts'

export interface TurnState {
  /** Aborts the model call; `run` then ends with a `cancelled` outcome. */
  cancel: AbortController
}

export type TurnContext = ActorContext<TurnId, TurnState, Services>
