/** The reckoning of approvals: each is decided once, as its operator was told, and only what was approved is made, once. */
import type { Database } from '../../store/database.ts'
import type { Decided } from './operators.ts'
import type { MadeEffect } from './outside.ts'

interface StoredApproval {
  id: string
  text: string
  status: string
  /** Of the call in the ledger; null: it never came so far. */
  callStatus: string | null
}

export interface ApprovalEvidence {
  db: Database
  effects: readonly MadeEffect[]
  decided: readonly Decided[]
}

export async function judgeApprovals({ db, effects, decided }: ApprovalEvidence) {
  const stored = await approvalsOf(db)
  const made = Map.groupBy(effects, ({ text }) => text)
  const decisions = Map.groupBy(decided, ({ approvalId }) => approvalId)
  const approvals: Record<string, number> = {}
  const wrongs: string[] = []
  for (const { id, text, status, callStatus } of stored) {
    approvals[status] = (approvals[status] ?? 0) + 1
    const times = made.get(text)?.length ?? 0
    const mine = decisions.get(id) ?? []
    if (status === 'pending') wrongs.push(`the approval of "${text}" is still pending`)
    if (mine.length > 1) wrongs.push(`the approval of "${text}" was decided ${mine.length} times`)
    if (mine.some(({ decision }) => statusAfter[decision] !== status))
      wrongs.push(`the approval of "${text}" is ${status}, and its operator was told ${mine[0]?.decision}`)
    if (status !== 'approved' && times > 0) wrongs.push(`the effect of "${text}" was made, and it is ${status}`)
    if (times > 1) wrongs.push(`the approved effect of "${text}" was made ${times} times`)
    if (callStatus === 'succeeded' && times !== 1)
      wrongs.push(`the effect of "${text}" succeeded, and was made ${times} times`)
  }
  return { approvals, wrongs }
}

const statusAfter: Readonly<Record<Decided['decision'], string>> = { approve: 'approved', refuse: 'refused' }

function approvalsOf(db: Database): Promise<StoredApproval[]> {
  return db.system<StoredApproval>`
    select 'appr_' || replace(approvals.id::text, '-', '') as id, approvals.arguments ->> 'body' as text, approvals.status,
      turn_steps.status as "callStatus"
    from approvals left join turn_steps using (turn_id, path, n)`
}
