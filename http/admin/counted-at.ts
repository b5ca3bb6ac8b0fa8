/** Parses `as_of`: the time of the count that a bulk change refers to. */
import type { Database } from '../../store/database.ts'
import type { WorkspaceId } from '../../store/id.ts'
import { isAhead } from '../../store/postgres/clock.ts'
import { badRequest } from '../error.ts'

/** @throws ApiError 400 for a future time: it would include rows that were not counted */
export async function countedAt(db: Database, workspace: WorkspaceId, text: string): Promise<Date> {
  const at = new Date(text)
  if (await isAhead(db, workspace, at)) throw badRequest('as_of is in the future.', 'as_of')
  return at
}
