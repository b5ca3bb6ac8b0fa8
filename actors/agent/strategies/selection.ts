/**
 * Which strategies a turn uses: those of the settings, or, resumed, those that its steps belong to. Settings change while
 * a turn waits for an operator; under other strategies all that it did would be done a second time.
 */
import type { Settings } from '../../../config/settings.ts'
import type { Step } from '../../../store/turns/steps.ts'

export interface StrategySelection {
  /** 0: no plan. */
  planSteps: number
  /** Of the best of several; 0: none. */
  candidates: number
  /** Experts of a debate; 0: none. */
  debaters: number
  rounds: number
  reflects: boolean
}

/** Of a plan that was made, where the settings ask for none now: it is in the journal, and is carried out. */
const plannedStepsMax = 100

export function selectStrategies(settings: Settings, earlier: readonly Pick<Step, 'path'>[]): StrategySelection {
  const now = selectionBySettings(settings)
  const paths = [...new Set(earlier.map(({ path }) => path))].filter((path) => path !== 'summary')
  if (paths.length === 0) return now
  const hasPlan = paths.includes('plan')
  const answers = paths
    .filter((path) => !/^(plan|step-\d+)(\/|$)/.test(path))
    .map((path) => path.replace(/^answer(\/|$)/, ''))
  const selection = { ...now, planSteps: hasPlan ? planStepsIn(paths, now) : 0 }
  if (answers.length === 0) return selection
  return { ...selection, ...answersIn(answers, now), reflects: now.reflects || answers.some(isReflection) }
}

/** Steps that were begun are gone through again, also where the settings allow fewer now. */
function planStepsIn(paths: readonly string[], { planSteps }: StrategySelection): number {
  return planSteps === 0 ? plannedStepsMax : Math.max(planSteps, highest(paths, /^step-(\d+)/))
}

function highest(paths: readonly string[], pattern: RegExp): number {
  return Math.max(0, ...paths.map((path) => Number(pattern.exec(path)?.[1] ?? 0)))
}

function selectionBySettings(settings: Settings): StrategySelection {
  const debaters = settings.get('SERVICE_AGENT_DEBATE_N')
  const candidates = settings.get('SERVICE_AGENT_BEST_OF_N')
  return {
    planSteps: settings.get('SERVICE_AGENT_PLAN_STEPS'),
    // A debate stands in for the best of several where both are on.
    candidates: candidates >= 2 && debaters < 2 ? candidates : 0,
    debaters: debaters >= 2 ? debaters : 0,
    rounds: settings.get('SERVICE_AGENT_DEBATE_ROUNDS'),
    reflects: settings.get('SERVICE_AGENT_REFLECT'),
  }
}

/** By the names of the loops that were begun. */
function answersIn(
  paths: readonly string[],
  now: StrategySelection,
): Pick<StrategySelection, 'candidates' | 'debaters' | 'rounds'> {
  const most = (pattern: RegExp) => highest(paths, pattern)
  const candidates = most(/^best-(\d+)/)
  const debaters = most(/^debate-\d+-(\d+)/)
  if (debaters > 0)
    return {
      candidates: 0,
      debaters: Math.max(debaters, now.debaters),
      rounds: Math.max(most(/^debate-(\d+)-/), now.rounds),
    }
  if (candidates > 0) return { candidates: Math.max(candidates, now.candidates), debaters: 0, rounds: now.rounds }
  const isPlain = paths.some((path) => !isReflection(path))
  return isPlain ? { candidates: 0, debaters: 0, rounds: now.rounds } : now
}

const isReflection = (path: string): boolean => path === 'reflect' || path === 'revise'
