/** An entry of the audit log, as the list has it. */
import type { Answer } from '../../api/types.ts'

export type Entry = Answer<'GET /v1/admin/audit'>['items'][number]
