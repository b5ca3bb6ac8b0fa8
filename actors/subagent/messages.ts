/** What goes between a sub-agent and whoever handed the work to it: plain data, so that either may live on another node. */
import { z } from 'zod'
import type { FailureCode } from '../../runtime/failure.ts'
import type { RunReport, TurnFacts } from '../agent/agent-run.ts'
import type { Bound, BudgetReport } from '../agent/budget/budget.ts'
import type { AgentProfile } from '../agent/directory/definition.ts'

export const SubagentKey = z
  .string()
  .regex(/^turn_[0-9a-f]{32} .+$/s, 'must be the id of the turn and the path of the loop in it')
  .brand<'SubagentKey'>()
export type SubagentKey = z.infer<typeof SubagentKey>

export interface SubagentRequest {
  turn: TurnFacts
  agent: AgentProfile
  task: string
  /** Of its loop in the journal of the turn. */
  path: string
  depth: number
  /** True: it gets no tools that change something. */
  isReading: boolean
  /** True: an earlier attempt of the turn has stored steps of this loop. */
  hasEarlierSteps: boolean
}

/** How its work ended. What it spent and did was reported while it worked; its steps are stored under the turn and its path. */
export type SubagentResult =
  | { status: 'answered'; text: string }
  | { status: 'failed'; code: FailureCode; message: string }
  /** The turn has to wait for an operator. */
  | { status: 'paused' }
  /** Resumed, it came to a place where another step is stored: the turn ends. */
  | { status: 'mismatched'; path: string; n: number }

/** While it works, to whoever handed the work to it. */
export type SubagentReport =
  /** It listens to `BoundNotice`s from now on. */
  { kind: 'started' } | RunReport | BudgetReport

/** While it works, to the sub-agent: the turn has used up its tokens or steps. */
export interface BoundNotice {
  bound: Bound
}

/** Ids of the two streams that carry them. */
export const reportStream = (key: SubagentKey): string => `subagent reports ${key}`
export const boundStream = (key: SubagentKey): string => `subagent bounds ${key}`
