/** One answer of a model, whole or as it comes: the same result either way. */
import type { ModelAnswer, ModelRequest, ModelTransport } from '../../../models/transport.ts'
import type { AnswerSink } from '../agent-run.ts'
import { streamTranscript } from './stream-transcript.ts'

/** @param sink told every delta; a slow one stops the reading from the model; absent: the answer is asked for whole @throws ModelError */
export async function modelAnswer(
  transport: ModelTransport,
  request: ModelRequest,
  sink?: AnswerSink,
): Promise<ModelAnswer> {
  if (!sink) return await transport.complete(request)
  const transcript = streamTranscript()
  const call = transport.stream(request, {
    delta(delta) {
      transcript.add(delta)
      return sink.delta(delta)
    },
  })
  sink.onRoom(() => call.resume())
  const end = await call.done
  return { ...end, choices: transcript.choices() }
}
