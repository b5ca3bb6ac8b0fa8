/** Which installation this is: a restored copy of its database is another one, though most of its rows are the same. */
import { createHash } from 'node:crypto'
import type { Database } from '../database.ts'

/** Lower-case hexadecimal, the same at all nodes of one database, and at no others. */
export async function nodesPrefix(db: Database): Promise<string> {
  const [row] = await db.system<{ name: string }>`
    select installation.id || '/' || event_feed.id as name from installation, event_feed`
  if (!row) throw new Error('the database has no row in installation or event_feed')
  return createHash('sha256').update(row.name).digest('hex').slice(0, 32)
}
