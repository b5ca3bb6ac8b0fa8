/** The model call of a turn, from its first byte to an outcome that can be recorded. */
import { ModelError } from '../../models/errors.ts'
import type { ModelDelta, ModelRequest, ModelTransport } from '../../models/transport.ts'
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { TurnId } from '../../store/id.ts'
import type { Services } from '../services.ts'
import type { TurnState } from './actor.ts'
import type { Run, TurnOutcome } from './messages.ts'
import { transcript } from './transcript.ts'

type TurnContext = ActorContext<TurnId, TurnState, Services>

/** Never throws for what a model or a caller does: that is an outcome. A throw is a defect. */
export async function runTurn(context: TurnContext, run: Run, stopped: AbortSignal): Promise<TurnOutcome> {
}
