/** A thing that waits for a person, and what its decision is given. */
import type { Answer } from '../../api/types.ts'

export type InboxItem = Answer<'GET /v1/admin/inbox'>['items'][number]

export interface ItemDecisionProps {
  item: InboxItem
  /** The one before has just been decided: a second click was meant for it. */
  isPausing: boolean
  onDecided(): void
}
