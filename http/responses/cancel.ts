/** `POST /v1/responses/:response_id/cancel`: ends a response that runs in the background. */
import { cancelTurn } from '../../actors/conversation/cancel-turn.ts'
import { key } from '../access.ts'
import { badRequest } from '../error.ts'
import { route } from '../route.ts'
import { findResponse, ResponsePath } from './find.ts'
import { turnIdOf } from './ids.ts'
import { ResponseObject } from './response-object.ts'
import { storedResponse } from './stored.ts'

export const cancelResponse = route({
  method: 'POST',
  path: '/v1/responses/:response_id/cancel',
  summary: 'Cancel a response',
  description: 'Of one that was created with background true. One that has ended is answered as it is.',
  tag: 'responses',
  access: key('chat'),
  params: ResponsePath,
  answers: { 200: ResponseObject },
  async handle(call) {
    const { app, principal } = call
    const { response_id: id } = call.params
    const record = await findResponse(call, id)
    if (record.request['background'] !== true)
      throw badRequest('Only a response in the background can be cancelled; to end another, close its connection.')
    await cancelTurn(app, {
      workspaceId: principal.workspaceId,
      conversation: record.conversation,
      turn: turnIdOf(id),
      reason: 'cancelled by its client',
    })
    return storedResponse(await findResponse(call, id))
  },
})
