/** Makes a conversation's actor read its history again, after the database was changed without it. */
import { conversation } from '../../../actors/conversation/actor.ts'
import type { ConversationId } from '../../../store/id.ts'
import type { App } from '../../app.ts'

export function forgetHistory(app: App, id: ConversationId): void {
  app.system.actor(conversation, id).tell('forget', {})
}
