/** What the application hands to its actors. */
import type { Settings } from '../config/settings.ts'
import type { ModelTransport } from '../models/transport.ts'
import { actorDefiner } from '../runtime/actor/define.ts'
import type { Log } from '../runtime/log/log.ts'
import type { ConversationWriter } from '../store/conversations.ts'
import type { Database } from '../store/database.ts'
import type { TurnWriter } from '../store/turns.ts'
import type { Histories } from './conversation/histories.ts'
import type { RunningTurns } from './turn/running.ts'

export interface Services {
  settings: Settings
  log: Log
  db: Database
  turns: TurnWriter
  conversations: ConversationWriter
  histories: Histories
  running: RunningTurns
  /** The transport that answers now: the configured endpoint, or the demonstration model. */
  model(): ModelTransport
}

export const defineActor = actorDefiner<Services>()
