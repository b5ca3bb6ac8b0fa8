/** Makes a change of operators take effect at once, in every process of this database. */
import { notifyChange } from '../../../store/changes.ts'
import type { App } from '../../app.ts'
import { broadcastKeyChange } from '../apikeys/new-key.ts'

export async function broadcastOperatorChange(app: App): Promise<void> {
  app.auth.sessions.forget()
  await notifyChange(app.db, 'sessions')
  // Personal keys depend on the state of their owner.
  await broadcastKeyChange(app)
}
