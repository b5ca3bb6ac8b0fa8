/** `GET /v1/responses/:response_id`: a stored response, or its events from any place on. */
import { z } from 'zod'
import type { ResponseRecord } from '../../store/responses.ts'
import { key } from '../access.ts'
import { type Answer, eventStream } from '../answer.ts'
import { ApiError } from '../error.ts'
import { route } from '../route.ts'
import { ResponseEvents } from './events.ts'
import { findResponse, ResponsePath } from './find.ts'
import { ResponseObject } from './response-object.ts'
import { storedAnswer, storedForm, storedParts, storedResponse, storedState } from './stored.ts'

export const retrieveResponse = route({
  method: 'GET',
  path: '/v1/responses/:response_id',
  summary: 'Retrieve a response',
  description:
    'With stream=true its events, from the beginning or behind starting_after; of one that still runs, the next ones as ' +
    'they come.',
  tag: 'responses',
  access: key('chat'),
  params: ResponsePath,
  query: z.object({
    stream: z.enum(['true', 'false']).optional(),
    starting_after: z.coerce
      .number()
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe('The sequence_number of the last event that the client has.'),
  }),
  answers: { 200: ResponseObject },
  async handle(call): Promise<Answer> {
    const { response_id: id } = call.params
    const record = await findResponse(call, id)
    if (call.query.stream !== 'true') return storedResponse(record)
    const after = call.query.starting_after ?? -1
    const live = call.app.liveResponses.get(id)
    if (live?.canFollow(after)) return eventStream({}, (out) => live.follow(out, after))
    if (record.status === 'running' || record.status === 'queued')
      throw new ApiError('turn_in_progress', 'Its events are not kept; retrieve it without stream until it has ended.')
    return eventStream({}, (out) => {
      out.write(eventsOf(record, after))
      out.end()
    })
  },
})

/** Behind a place that is no longer known, the last event: it holds the whole response. */
function eventsOf(record: ResponseRecord, after: number): string {
  const events = new ResponseEvents(storedParts(record), storedForm(record))
  const answer = storedAnswer(record)
  const state = storedState(record)
  if (after >= 0) {
    events.sequence = after + 1
    return events.last(state)
  }
  const opening = events.opening()
  return opening + (answer ? events.ended(answer, Math.floor(record.createdAt.getTime() / 1_000)) : events.last(state))
}
