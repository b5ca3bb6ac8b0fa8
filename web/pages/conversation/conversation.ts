/** A conversation in the API. */
import type { Answer } from '../../api/types.ts'

export type Conversation = Answer<'GET /v1/admin/conversations/{conversation_id}'>
