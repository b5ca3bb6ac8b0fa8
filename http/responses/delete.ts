/** `DELETE /v1/responses/:response_id`. */
import { z } from 'zod'
import { conversation } from '../../actors/conversation/actor.ts'
import { deleteResponse } from '../../store/responses.ts'
import { key } from '../access.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import { ApiError } from '../error.ts'
import { route } from '../route.ts'
import { noResponse, ResponsePath } from './find.ts'

export const deleteResponseRoute = route({
  method: 'DELETE',
  path: '/v1/responses/:response_id',
  summary: 'Delete a response',
  description:
    'It can no longer be retrieved or continued. Its messages are deleted with the last response of their conversation: ' +
    'those that continue it go on to need them.',
  tag: 'responses',
  access: key('chat'),
  params: ResponsePath,
  answers: { 200: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }) },
  async handle({ app, principal, params }) {
    const { response_id: id } = params
    const deleted = await deleteResponse(app.db, reachOf(principal), id)
    if (deleted === 'unknown') throw noResponse(id)
    if (deleted === 'busy') throw new ApiError('turn_in_progress', 'The response has not ended; cancel it first.')
    app.liveResponses.forget(id)
    app.system.actor(conversation, deleted.conversation).tell('forget', {})
    return { id, object: 'response' as const, deleted: true as const }
  },
})
