/** The response that a request names, for whoever may reach its conversation. */
import { z } from 'zod'
import { ResponseId } from '../../store/id.ts'
import { type ResponseRecord, readResponse } from '../../store/responses.ts'
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import { ApiError } from '../error.ts'

export const ResponsePath = z.object({ response_id: ResponseId })

export async function findResponse(
  { app, principal }: { app: App; principal: Principal },
  id: ResponseId,
): Promise<ResponseRecord> {
  const found = await readResponse(app.db, reachOf(principal), id)
  if (!found) throw noResponse(id)
  return found
}

export const noResponse = (id: ResponseId, param?: string) =>
  new ApiError('not_found', `There is no response ${id}: it was not stored, or it was deleted.`, { param })
