/** The states of a turn, and the sets of them that statements ask for. */
import { sql } from '../postgres/sql.ts'

export const turnStatuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'merged',
] as const
export type TurnStatus = (typeof turnStatuses)[number]

/** The states of a turn that has not ended: what the partial index `turns_queue` covers. */
export const openStatuses = sql`('queued', 'running', 'waiting')`
