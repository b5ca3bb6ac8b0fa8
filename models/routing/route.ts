/** Which model answers a turn whose agent names none: the three bands of the router, else the cascade. */
import type { Settings } from '../../config/settings.ts'
import type { TurnFacts } from './facts.ts'

export type Band = 'simple' | 'standard' | 'complex'

export interface RoutingModels {
  /** Blank: no such band. */
  simple: string
  standard: string
  complex: string
  /** Of the cascade; blank: none. */
  strong: string
  /** From so many characters on the strong model answers; 0: the default. */
  strongCharactersMin: number
}

/** About two pages. */
export const strongCharactersMinDefault = 4_000

export function routingModels(settings: Settings): RoutingModels {
  return {
    simple: settings.get('SERVICE_ROUTER_SIMPLE_MODEL'),
    standard: settings.get('SERVICE_ROUTER_STANDARD_MODEL'),
    complex: settings.get('SERVICE_ROUTER_COMPLEX_MODEL'),
    strong: settings.get('SERVICE_CASCADE_STRONG_MODEL'),
    strongCharactersMin: settings.get('SERVICE_CASCADE_MIN_CHARS'),
  }
}

/** @returns undefined where neither decides: then SERVICE_LLM_MODEL, or the request's own name, counts */
export function routeModel(facts: TurnFacts, models: RoutingModels): string | undefined {
  const band = bandOf(facts)
  for (const each of [band, ...fallbacks[band]]) if (models[each] !== '') return models[each]
  if (models.strong === '') return undefined
  const isLong = facts.characters >= (models.strongCharactersMin || strongCharactersMinDefault)
  return isLong || band === 'complex' ? models.strong : undefined
}

/** A band without a model falls to the nearest that has one, up before down: rather too strong than too weak. */
const fallbacks: Readonly<Record<Band, readonly Band[]>> = {
  simple: ['standard', 'complex'],
  standard: ['complex', 'simple'],
  complex: ['standard', 'simple'],
}

/** A turn with so many points belongs to the band. */
const standardPoints = 1
const complexPoints = 4

/** The more a request asks for, the more points it has; docs/models.md has the table. */
export function bandOf(facts: TurnFacts): Band {
  const points = pointsOf(facts)
  if (points >= complexPoints) return 'complex'
  return points >= standardPoints ? 'standard' : 'simple'
}

function pointsOf(facts: TurnFacts): number {
  return (
    lengthPoints(facts.characters) +
    (facts.hasCode ? 2 : 0) +
    Math.min(facts.reasoningCues, 4) +
    (facts.hasAttachments ? 1 : 0) +
    (facts.questions >= 3 ? 1 : 0) +
    (facts.listItems >= 3 ? 1 : 0) +
    (facts.messages >= 20 ? 1 : 0) +
    // "Thanks!" needs no tool.
    (facts.hasTools && facts.characters >= 80 ? 1 : 0)
  )
}

function lengthPoints(characters: number): number {
  if (characters >= 6_000) return 4
  if (characters >= 1_500) return 2
  return characters >= 300 ? 1 : 0
}
