/** Asks an operator to approve a tool call, and waits for the decision as the turn does: here, or by ending its run. */
import { requestApproval } from '../../../store/approvals.ts'
import { newApprovalId } from '../../../store/id.ts'
import type { Decision } from '../../approvals/desk.ts'
import { type AgentRun, TurnPaused } from '../agent-run.ts'
import { JournalMismatch } from '../journal/journal.ts'
import type { LedgerEntry } from '../journal/ledger-entry.ts'
import { retryOutages } from '../retry-outages.ts'
import type { ToolCall } from './tool-calls.ts'

export interface ApprovalRequest {
  path: string
  n: number
  agent: string
  call: ToolCall
  digest: string
}

/** @throws TurnPaused, TurnMoved, JournalMismatch, the run's signal's reason */
export async function askOperator(run: AgentRun, request: ApprovalRequest, entry: LedgerEntry): Promise<Decision> {
  const { path, n, agent, call, digest } = request
  const { db, settings, approvals, feed, leases } = run.services
  const id = newApprovalId()
  const leave = new AbortController()
  const decision =
    run.approvals === 'wait' ? approvals.wait(id, AbortSignal.any([run.signal, leave.signal])) : undefined
  decision?.catch(() => {}) // awaited below, or not needed
  const row = {
    id,
    workspaceId: run.workspaceId,
    turnId: run.turnId,
    path,
    n,
    conversationId: run.conversationId,
    agent,
    tool: call.name,
    arguments: call.arguments,
    digest,
    expiresAt: new Date(run.clock.now() + settings.get('SERVICE_APPROVAL_EXPIRY')),
  }
  const place = { node: leases.node, lease: run.lease }
  try {
    // An approval outlives the attempt: what asked for the call has to be stored when the turn is resumed.
    await run.journal.flushed()
    const approval = await retryOutages(run, () => requestApproval(db, place, row))
    feed.wake()
    if (approval.digest !== digest) throw new JournalMismatch(row)
    if (approval.status !== 'pending') return approval
    await entry.wait()
    run.progress(`waiting for an operator to approve ${call.name}`)
    if (!decision) throw new TurnPaused()
    const resume = run.budget.pause()
    try {
      const decided = await decision
      // The turn has a caller, who is told that the service stops.
      if (decided === 'closed') throw new TurnPaused()
      return decided
    } finally {
      resume()
    }
  } finally {
    leave.abort()
  }
}
