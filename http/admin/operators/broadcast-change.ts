/** Word of changed operators: whoever is out is out at once, here and in every process of this database. */
import { notifyChange } from '../../../store/changes.ts'
import type { App } from '../../app.ts'
import { broadcastKeyChange } from '../apikeys/new-key.ts'

export async function broadcastOperatorChange(app: App): Promise<void> {
  app.auth.sessions.forget()
  await notifyChange(app.db, 'sessions')
  // Personal keys are worth what their owner is.
  await broadcastKeyChange(app)
}
