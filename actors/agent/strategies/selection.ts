/**
 * Which strategies a turn goes through: what the settings say, or, begun again, the way on which its steps are. Settings
 * change while a turn waits for an operator; on another way all that it did would be done a second time.
 */
import type { Settings } from '../../../config/settings.ts'
import type { Step } from '../../../store/turns/steps.ts'

export interface StrategySelection {
  /** 0: no plan. */
  planSteps: number
  /** 0: none; candidates of the best of several. */
  best: number
  /** 0: none; experts of a debate. */
  debaters: number
  rounds: number
  reflects: boolean
}

/** Of a plan that was made, where the settings ask for none now: it is in the ledger, and is carried out. */
const plannedStepsMax = 100

export function selectStrategies(settings: Settings, earlier: readonly Pick<Step, 'path'>[]): StrategySelection {
  const now = shapeNow(settings)
  const paths = [...new Set(earlier.map(({ path }) => path))].filter((path) => path !== 'summary')
  if (paths.length === 0) return now
  const hasPlan = paths.includes('plan')
  const answers = paths
    .filter((path) => !/^(plan|step-\d+)(\/|$)/.test(path))
    .map((path) => path.replace(/^answer(\/|$)/, ''))
  const shape = { ...now, planSteps: hasPlan ? plannedIn(paths, now) : 0 }
  if (answers.length === 0) return shape
  return { ...shape, ...candidatesIn(answers, now), reflects: now.reflects || answers.some(isReflection) }
}

/** What was begun is gone through again, also where the settings allow fewer now. */
function plannedIn(paths: readonly string[], { planSteps }: StrategySelection): number {
  return planSteps === 0 ? plannedStepsMax : Math.max(planSteps, highest(paths, /^step-(\d+)/))
}

function highest(paths: readonly string[], pattern: RegExp): number {
  return Math.max(0, ...paths.map((path) => Number(pattern.exec(path)?.[1] ?? 0)))
}

function shapeNow(settings: Settings): StrategySelection {
  const [debaters, best] = [settings.get('SERVICE_AGENT_DEBATE_N'), settings.get('SERVICE_AGENT_BEST_OF_N')]
  return {
    planSteps: settings.get('SERVICE_AGENT_PLAN_STEPS'),
    // A debate stands in for the best of several where both are on.
    best: best >= 2 && debaters < 2 ? best : 0,
    debaters: debaters >= 2 ? debaters : 0,
    rounds: settings.get('SERVICE_AGENT_DEBATE_ROUNDS'),
    reflects: settings.get('SERVICE_AGENT_REFLECT'),
  }
}

/** By the names of the loops that were begun. */
function candidatesIn(
  paths: readonly string[],
  now: StrategySelection,
): Pick<StrategySelection, 'best' | 'debaters' | 'rounds'> {
  const most = (pattern: RegExp) => highest(paths, pattern)
  const best = most(/^best-(\d+)/)
  const debaters = most(/^debate-\d+-(\d+)/)
  if (debaters > 0)
    return { best: 0, debaters: Math.max(debaters, now.debaters), rounds: Math.max(most(/^debate-(\d+)-/), now.rounds) }
  if (best > 0) return { best: Math.max(best, now.best), debaters: 0, rounds: now.rounds }
  const isPlain = paths.some((path) => !isReflection(path))
  return isPlain ? { best: 0, debaters: 0, rounds: now.rounds } : now
}

const isReflection = (path: string): boolean => path === 'reflect' || path === 'revise'
