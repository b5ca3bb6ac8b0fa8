/** Word of changed operators: whoever is out is out at once, here and in every process of this database. */
import { notifyChange } from '../../../store/changes.ts'
import type { App } from '../../app.ts'
import { spreadKeys } from '../apikeys/fresh-key.ts'

export async function spreadOperators(app: App): Promise<void> {
  app.auth.sessions.forget()
  await notifyChange(app.db, 'sessions')
  // Personal keys are worth what their owner is.
  await spreadKeys(app)
}
