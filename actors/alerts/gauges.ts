/** What alerts judge by, as metrics: from these another system can fire the same alerts. Of the node that evaluates. */
import type { Metrics } from '../../runtime/telemetry/metrics.ts'
import type { Reading } from '../../store/alerts/readings.ts'
import type { WorkspaceId } from '../../store/id.ts'
import type { AlertRuleId } from './rules.ts'

export interface AlertGauges {
  /** Replaces what was read before of the rule in this workspace. */
  read(rule: AlertRuleId, workspace: WorkspaceId, readings: readonly Reading[]): void
}

/** Values in memory; of more none is shown. */
const seriesMax = 2_000

export function alertGauges(metrics: Pick<Metrics, 'onScrape'>): AlertGauges {
  const latest = new Map<string, { rule: AlertRuleId; workspace: WorkspaceId; readings: readonly Reading[] }>()
  const each = (set: (labels: { rule: string; workspace: string; subject: string }, reading: Reading) => void) => {
    let left = seriesMax
    for (const { rule, workspace, readings } of latest.values()) {
      for (const reading of readings) if (left-- > 0) set({ rule, workspace, subject: reading.subject }, reading)
    }
  }
  metrics.onScrape('service_alert_value', (gauge) => {
    gauge.reset()
    each((labels, { value }) => gauge.set(labels, value))
  })
  metrics.onScrape('service_alert_volume', (gauge) => {
    gauge.reset()
    each((labels, { volume }) => gauge.set(labels, volume))
  })
  return {
    read(rule, workspace, readings) {
      const key = `${workspace} ${rule}`
      if (readings.length === 0) latest.delete(key)
      else latest.set(key, { rule, workspace, readings })
    },
  }
}
