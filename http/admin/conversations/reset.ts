/** `POST /v1/admin/conversations/reset`: empties the model's context; the history stays. */
import { z } from 'zod'
import { resetConversation } from '../../../store/conversations/writes.ts'
import { ConversationId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { noConversation } from './conversation-view.ts'
import { forgetHistory } from './forget-history.ts'

export const resetContext = route({
  method: 'POST',
  path: '/v1/admin/conversations/reset',
  summary: 'Reset the context of a conversation',
  description: 'Messages up to now are kept, but no longer sent to the model. A turn that is running still uses them.',
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({ conversation_id: ConversationId }),
  answers: {
    200: z.object({ ok: z.literal(true), conversation_id: ConversationId, context_after_seq: z.int() }),
  },
  async handle(call) {
    const { conversation_id } = call.body
    const reset = await resetConversation(call.app.db, auditActor(call), conversation_id)
    if (reset === 'unknown') throw noConversation()
    forgetHistory(call.app, conversation_id)
    return { ok: true, conversation_id, context_after_seq: reset.contextAfterSeq }
  },
})
