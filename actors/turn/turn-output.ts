/** Where a streamed answer goes while it comes: to whoever reads the stream of the turn's id, and to those who watch the conversation. */
import type { ModelDelta } from '../../models/transport.ts'
import { TextPile } from '../../runtime/text-pile.ts'
import type { AgentReader } from '../agent/run-agent.ts'
import type { TurnDelta, TurnRequest } from './messages.ts'
import type { TurnContext } from './turn-context.ts'

export interface TurnOutput extends AgentReader {
  end(): void
}

/** A slow reader stops the reading from the model. @param onFirst the answer's first piece has come; may be called again */
export function openTurnOutput(
  { streams, services }: TurnContext,
  { turnId, live }: TurnRequest,
  onFirst: () => void,
): TurnOutput {
  const stream = streams.open<TurnDelta>(turnId)
  const text = new TextPile()
  const watched =
    live &&
    services.liveTurns.begin(live.conversation, {
      turnId,
      startedXid: BigInt(live.startedXid),
      soFar: () => text.toString(),
    })
  return {
    delta(delta: ModelDelta) {
      if (delta.kind !== 'model') onFirst()
      if (delta.kind === 'text' && delta.choice === 0 && watched) {
        text.add(delta.text)
        watched.text(delta.text)
      }
      return stream.write(delta)
    },
    progress(words) {
      stream.write({ kind: 'progress', words })
    },
    onRoom: (resume) => stream.onRoom(resume),
    end() {
      stream.end()
      watched?.end()
    },
  }
}
