/** Every row, in the order of the table. */
import type { Row } from '../row.ts'
import { actorRows } from './actors.ts'
import { agentRows } from './agents.ts'
import { analyticsRow } from './analytics.ts'
import { chatPacedRow } from './chat-paced.ts'
import { chatStoredRow } from './chat-stored.ts'
import { chatStreamRow } from './chat-stream.ts'
import { chatWholeRows } from './chat-whole.ts'
import { feedRows } from './feeds.ts'
import { guardRow } from './guard.ts'
import { hopRows } from './hop.ts'
import { idleRow } from './idle.ts'
import { intakeRows } from './intake.ts'
import { poolRow } from './pool.ts'
import { responsesRow } from './responses.ts'
import { sandboxRow } from './sandbox.ts'
import { turnsFullRow } from './turns-5m.ts'
import { uiRow } from './ui.ts'

export const allRows: readonly Row[] = [
  ...actorRows,
  poolRow,
  ...chatWholeRows,
  chatStreamRow,
  chatPacedRow,
  chatStoredRow,
  responsesRow,
  ...agentRows,
  guardRow,
  sandboxRow,
  ...intakeRows,
  ...feedRows,
  ...hopRows,
  idleRow,
  turnsFullRow,
  analyticsRow,
  uiRow,
]
