/** What the calls of a turn used, added up by agent, endpoint and model: as many rows as it has of these, however many calls. */
import type { CallUsage } from '../../models/call-usage.ts'

/** Calls of one agent, or of the model by itself, at one endpoint and model: plain data. */
export interface UsedCalls extends CallUsage {
  /** Null: the model answered by itself. */
  agent: string | null
  /** Null: it is not known. */
  agentVersion: number | null
}

/** A turn of hundreds of sub-agents and models: the last row takes what has no place. */
const rowsMax = 200

export interface UsageLedger {
  add(calls: UsedCalls): void
  rows(): UsedCalls[]
}

export function usageLedger(): UsageLedger {
  const rows: UsedCalls[] = []
  return {
    add(calls) {
      const known = rows.find((row) => isSame(row, calls)) ?? (rows.length >= rowsMax ? rows.at(-1) : undefined)
      if (!known) {
        rows.push({ ...calls })
        return
      }
      known.calls += calls.calls
      known.tokensIn += calls.tokensIn
      known.tokensCached += calls.tokensCached
      known.tokensOut += calls.tokensOut
      known.tokensReasoning += calls.tokensReasoning
      known.isEstimated ||= calls.isEstimated
    },
    rows: () => rows.map((row) => ({ ...row })),
  }
}

function isSame(one: UsedCalls, other: UsedCalls): boolean {
  return (
    one.agent === other.agent &&
    one.agentVersion === other.agentVersion &&
    one.endpoint === other.endpoint &&
    one.modelAsked === other.modelAsked &&
    one.model === other.model
  )
}
