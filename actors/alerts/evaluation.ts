/** Evaluates the rules of all workspaces again and again: one node does it for all, and another goes on where it is lost. */
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { type Judgement, stepAlerts } from '../../store/alerts/alerts.ts'
import { type Reading, workspaceIds } from '../../store/alerts/readings.ts'
import { type RuleChange, ruleChanges } from '../../store/alerts/rules.ts'
import { defaultWorkspace } from '../../store/default-workspace.ts'
import { DatabaseDown } from '../../store/errors.ts'
import type { WorkspaceId } from '../../store/id.ts'
import type { HeldKey } from '../../store/nodes/slots.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { Services } from '../services.ts'
import type { AlertGauges } from './gauges.ts'
import { alertReadings, type ReadingSource, readingSource } from './readings.ts'
import { type AlertRuleId, alertRuleIds, isBreached, ruleOf } from './rules.ts'

/** Of one rule in one workspace: an alert for each is no help any more. */
const subjectsMax = 100

interface Parts {
  services: Pick<Services, 'db' | 'channels' | 'feed'>
  settings: Pick<Settings, 'get'>
  clock: Clock
  log: Log
  gauges: AlertGauges
}

export function alertEvaluation({ services, settings, clock, log, gauges }: Parts): MaintenanceTask {
  const { db, channels, feed } = services
  let nextMs = 0

  async function evaluate(signal: AbortSignal, held: HeldKey): Promise<void> {
    const changes = new Map(
      (await ruleChanges(db, 'all')).map((change) => [keyOf(change.workspaceId, change.rule), change]),
    )
    const home = defaultWorkspace({ settings })
    const judgements: Judgement[] = []
    for (const workspace of await workspaceIds(db)) {
      if (signal.aborted) return
      const source = readingSource({ db, channels }, workspace, clock.now())
      for (const id of alertRuleIds) {
        if (ruleOf(id).scope === 'installation' && workspace !== home) continue
        const judgement = await judge(id, source, changes.get(keyOf(workspace, id)))
        if (judgement) judgements.push(judgement)
      }
    }
    const done = await stepAlerts(db, held, judgements)
    if (!done || done.fired + done.resolved === 0) return
    log.info(done, 'alerts have changed')
    feed.wake()
  }

  /** Undefined: it cannot be read now, and its alerts stay as they are. */
  async function judge(
    id: AlertRuleId,
    source: ReadingSource,
    change: RuleChange | undefined,
  ): Promise<Judgement | undefined> {
    const rule = ruleOf(id)
    const threshold = change?.threshold ?? rule.threshold
    const judged = {
      workspaceId: source.workspace,
      rule: id,
      threshold,
      isUrgent: rule.isUrgent,
      runbook: rule.runbook,
    }
    // One that was switched off is over at once.
    if (change?.isEnabled === false) return { ...judged, forS: 0, breached: [] }
    let readings: Reading[]
    try {
      readings = await alertReadings[id](source)
    } catch (error) {
      if (error instanceof DatabaseDown) throw error
      log.warn({ err: error, rule: id, workspace: source.workspace }, 'a rule of the alerts could not be evaluated')
      return undefined
    }
    gauges.read(id, source.workspace, readings)
    const breached = readings.filter((reading) => isBreached(rule, threshold, reading)).slice(0, subjectsMax)
    return { ...judged, forS: change?.forS ?? rule.forS, breached }
  }

  return {
    name: 'alerts',
    isForAll: true,
    // The setting is read at each look, so that a change of it is seen at once.
    intervalMs: seconds(1),
    async run(signal, held) {
      if (clock.elapsed() < nextMs) return
      nextMs = clock.elapsed() + settings.get('SERVICE_ALERT_INTERVAL_S') * 1_000
      await evaluate(signal, held)
    },
  }
}

const keyOf = (workspace: WorkspaceId, rule: string): string => `${workspace} ${rule}`
