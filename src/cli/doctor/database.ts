/** Does the database answer, and is its schema the one this version needs? */
import { readMigrations, schemaState } from '../../store/migrate.ts'
import type { CommandStore } from '../connect.ts'
import { type Finding, failed, ok } from './finding.ts'

export async function checkDatabase(store: CommandStore): Promise<Finding> {
  const [row] = await store.db.system<{ version: string }>`select current_setting('server_version') as version`
  const newest = (await readMigrations()).at(-1)?.number ?? 0
  const state = await schemaState(store.db.system, newest)
  const where = (store.environment['SERVICE_DATABASE_URL'] ?? '') === '' ? 'built in' : 'external'
  const found = `PostgreSQL ${row?.version}, ${where}, schema ${state}`
  if (state === 'ready') return ok('database', found)
  return state === 'newer'
    ? failed('database', found, 'A newer version has been here: start that one.')
    : failed('database', found, 'Start the service once: it migrates the schema.')
}
