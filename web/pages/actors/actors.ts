/** The actors of the process in the API. */
import type { Answer } from '../../api/types.ts'

export type Actors = Answer<'GET /v1/admin/actors'>
