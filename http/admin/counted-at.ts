/** When things were counted, as whoever orders their change gives it back. */

import type { Database } from '../../store/database.ts'
import type { WorkspaceId } from '../../store/id.ts'
import { isAhead } from '../../store/postgres/clock.ts'
import { badRequest } from '../error.ts'

/** @throws ApiError 400 for a time to come: what changes until then was counted by nobody */
export async function countedAt(db: Database, workspace: WorkspaceId, given: string): Promise<Date> {
  const at = new Date(given)
  if (await isAhead(db, workspace, at)) throw badRequest('It is in the future: nothing was counted then.', 'as_of')
  return at
}
