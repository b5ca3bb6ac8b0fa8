/** A step of a turn in the API. */
import type { Answer } from '../../api/types.ts'

export type Step = Answer<'GET /v1/admin/turns/steps'>['items'][number]
