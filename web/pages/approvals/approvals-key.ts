/** The key of queries of approvals: those of a turn, and those that were decided. */
export const approvalsKey = ['approvals'] as const
