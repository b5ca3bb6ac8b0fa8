/** A turn in the API. */
import type { Answer } from '../../api/types.ts'

export type Turn = Answer<'GET /v1/admin/turns/{turn_id}'>
