/** What a call's parts receive from its actor. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { TurnId } from '../../store/id.ts'
import type { Services } from '../services.ts'

export type CallContext = ActorContext<TurnId, undefined, Services>
