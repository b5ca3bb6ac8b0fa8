/** A model endpoint as the API shows it. */
import type { Answer } from '../../api/types.ts'

export type Endpoint = Answer<'GET /v1/admin/models/endpoints'>['items'][number]
