/** `npm run guard:train`: trains the guard's model on the labelled texts and writes guard/likelihood/model.ts. Deterministic: the same texts give the same file. */
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createGuard } from '../guard/guard.ts'
import { createFeatureReader } from '../guard/likelihood/features.ts'
import type { Model } from '../guard/likelihood/learned.ts'
import { type Likelihood, lengthLogOdds, rulesLogOdds } from '../guard/likelihood/likelihood.ts'
import { featuresMax } from '../guard/likelihood/window.ts'
import type { Source } from '../guard/verdict.ts'
import type { Case } from '../test/guard/cases/case.ts'

export const modelFile = fileURLToPath(new URL('../guard/likelihood/model.ts', import.meta.url))

/** The held-out and fresh texts are not in them: those measure the model. */
const folders = ['../test/guard/cases/', '../test/guard/likelihood/cases/']
const fileOfTraining = /^(?:development|training)-(?<kind>attacks|benign|harmless)/

/** Regularisation: how strongly weights are drawn towards zero. */
const decay = 0.3
/** A feature in fewer texts is ignored as chance. */
const textsMin = 2
const rounds = { first: 40, more: 15 }
const steps = { first: 0.1, more: 0.03 }
/** The share of harmless texts that may be blocked, by rules or words, measured on files left out of the training. */
const harmlessShareMax = 0.02
const blockedFrom = 0.6

export interface Example {
  readonly file: string
  readonly isAttack: boolean
  readonly text: Case
  /** Features of each window of each reading. */
  readonly windows: readonly Uint16Array[]
  /** The score of the rules. */
  readonly score: number
}

interface Learned {
  readonly weights: Float64Array
  readonly rules: Float64Array
}

export async function readExamples(): Promise<Example[]> {
  const examples: Example[] = []
  const readText = createTextReader()
  for (const folder of folders) {
    const files = readdirSync(new URL(folder, import.meta.url)).sort()
    for (const file of files) {
      const kind = fileOfTraining.exec(file)?.groups?.['kind']
      if (kind === undefined) continue
      const lists: Record<string, Case[]> = await import(new URL(`${folder}${file}`, import.meta.url).href)
      for (const text of Object.values(lists).flat())
        examples.push({ file, isAttack: kind === 'attacks', text, ...readText(text) })
    }
  }
  return examples
}

/** Reads texts as the guard does: as they are, and with their disguises removed. */
function createTextReader(): (text: Case) => { windows: Uint16Array[]; score: number } {
  const readFeatures = createFeatureReader()
  let windows: Uint16Array[] = []
  let score = 0
  let source: Source = 'user'
  const collector: Likelihood = {
    begin: (from) => {
      source = from
    },
    read: (page) => readFeatures(page, source, ({ features, count }) => windows.push(features.slice(0, count))),
    combine: (byRules) => {
      score = byRules.score
      return byRules
    },
  }
  const guard = createGuard(collector)
  return (text) => {
    windows = []
    guard.inspect(text.text, text.source)
    return { windows, score }
  }
}

const ruleFeatures = [
  { logOdds: 1, any: 0, blocked: 0 },
  { logOdds: 0, any: 1, blocked: 0 },
  { logOdds: 0, any: 0, blocked: 1 },
]
const rulesOf = (score: number): number[] => ruleFeatures.map((one) => rulesLogOdds(one, score))

/** Logistic regression: first over all windows of a text, then over the one that looks most like an attack. */
export function learn(examples: readonly Example[]): Learned {
  const isCommon = commonFeatures(examples)
  const texts = examples.map(({ windows, score, isAttack }) => ({
    windows: windows.map((window) => window.filter((feature) => isCommon[feature] === 1)),
    rules: rulesOf(score),
    label: isAttack ? 1 : 0,
  }))
  const weights = new Float64Array(featuresMax + ruleFeatures.length)
  const all = texts.flatMap(({ windows, rules, label }) =>
    windows.map((window) => ({ window, rules, label, share: 1 / windows.length })),
  )
  descend(weights, all, rounds.first, steps.first)
  const heaviest = texts.flatMap(({ windows, rules, label }) => {
    const window = windows.toSorted((a, b) => sumOf(weights, b) - sumOf(weights, a))[0]
    return window ? [{ window, rules, label, share: 1 }] : []
  })
  descend(weights, heaviest, rounds.more, steps.more)
  return { weights: weights.subarray(0, featuresMax), rules: weights.subarray(featuresMax) }
}

function commonFeatures(examples: readonly Example[]): Uint8Array {
  const texts = new Uint16Array(featuresMax)
  for (const { windows } of examples)
    for (const feature of new Set(windows.flatMap((window) => [...window]))) texts[feature] = (texts[feature] ?? 0) + 1
  return Uint8Array.from(texts, (count) => (count >= textsMin ? 1 : 0))
}

interface Row {
  readonly window: Uint16Array
  readonly rules: readonly number[]
  readonly label: number
  readonly share: number
}

/** Adam over all rows at once, without randomness. */
function descend(weights: Float64Array, rows: readonly Row[], roundsMax: number, step: number): void {
  const slope = new Float64Array(weights.length)
  const mean = new Float64Array(weights.length)
  const square = new Float64Array(weights.length)
  for (let round = 1; round <= roundsMax; round++) {
    slope.fill(0)
    for (const { window, rules, label, share } of rows) {
      let odds = sumOf(weights, window)
      for (let at = 0; at < rules.length; at++) odds += (weights[featuresMax + at] ?? 0) * (rules[at] ?? 0)
      const error = (1 / (1 + Math.exp(-odds)) - label) * share
      for (let at = 0; at < window.length; at++) slope[window[at] ?? 0] = (slope[window[at] ?? 0] ?? 0) + error
      for (let at = 0; at < rules.length; at++)
        slope[featuresMax + at] = (slope[featuresMax + at] ?? 0) + error * (rules[at] ?? 0)
    }
    const late = Math.max(0, round / roundsMax - 0.6) / 0.2
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? 0
      const down = (slope[at] ?? 0) + decay * weight
      if (down === 0 && mean[at] === 0) continue
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * down
      square[at] = 0.99 * (square[at] ?? 0) + 0.01 * down * down
      const direction = (mean[at] ?? 0) / (1 - 0.9 ** round)
      const size = Math.sqrt((square[at] ?? 0) / (1 - 0.99 ** round)) + 1e-8
      weights[at] = weight - (step * 0.3 ** late * direction) / size
    }
  }
}

function sumOf(weights: Float64Array, window: Uint16Array): number {
  let sum = 0
  for (let at = 0; at < window.length; at++) sum += weights[window[at] ?? 0] ?? 0
  return sum
}

export function oddsOf({ weights, rules }: Learned, { windows, score }: Example): number {
  const heaviest = Math.max(...windows.map((window) => sumOf(weights, window)))
  const byRules = rulesOf(score).reduce((sum, value, at) => sum + value * (rules[at] ?? 0), 0)
  return heaviest + byRules - lengthLogOdds(windows.length)
}

/** Weights in steps of `scale`, a byte each. */
export function modelOf({ weights, rules }: Learned, attackFrom: number): Model {
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0)
  const scale = rounded(largest / 127)
  const bytes = Buffer.from(Int8Array.from(weights, (weight) => Math.round(weight / scale)).buffer)
  const [logOdds = 0, any = 0, blocked = 0] = [...rules].map(rounded)
  return { weights: bytes.toString('base64'), scale, rules: { logOdds, any, blocked }, attackFrom }
}

const rounded = (value: number): number => Number(value.toPrecision(5))

/** Folds of files. Each fold leaves out files of both kinds, and each file is left out once. */
const foldsMax = 10

/** @returns the log-odds of each text from a model that was trained without its file */
export function crossValidate(examples: readonly Example[]): Float64Array {
  const folds = new Map<string, number>()
  for (const isAttack of [true, false]) {
    const files = [...new Set(examples.filter((one) => one.isAttack === isAttack).map(({ file }) => file))]
    for (const [number, file] of files.entries()) folds.set(file, number % foldsMax)
  }
  const odds = new Float64Array(examples.length)
  for (let fold = 0; fold < foldsMax; fold++) {
    const learned = learn(examples.filter(({ file }) => folds.get(file) !== fold))
    for (const [at, one] of examples.entries()) if (folds.get(one.file) === fold) odds[at] = oddsOf(learned, one)
  }
  return odds
}

/** The threshold of log-odds: above it, and blocked by rules, are at most the allowed share of the harmless texts. */
function lineOf(examples: readonly Example[], odds: Float64Array): number {
  const harmless = examples.flatMap(({ isAttack, score }, at) => (isAttack ? [] : [{ score, odds: odds[at] ?? 0 }]))
  const passing = harmless.filter(({ score }) => score < blockedFrom).sort((a, b) => b.odds - a.odds)
  const remaining = Math.floor(harmless.length * harmlessShareMax) - (harmless.length - passing.length)
  return rounded(passing[Math.max(0, remaining)]?.odds ?? 0)
}

function report(examples: readonly Example[], odds: Float64Array, line: number): void {
  const isBlocked = (at: number): boolean => (examples[at]?.score ?? 0) >= blockedFrom || (odds[at] ?? 0) > line
  for (const file of [...new Set(examples.map((one) => one.file))]) {
    const own = [...examples.keys()].filter((at) => examples[at]?.file === file)
    const byRules = own.filter((at) => (examples[at]?.score ?? 0) >= blockedFrom).length
    console.log(
      `${file}, left out: ${own.filter(isBlocked).length} of ${own.length} blocked, ${byRules} by rules alone`,
    )
  }
}

function fileOf({ weights, scale, rules, attackFrom }: Model): string {
  return `/** Written by \`npm run guard:train\` from the labelled texts under test/guard: change it there. */
import type { Model } from './learned.ts'

export const model: Model = {
  scale: ${scale},
  rules: { logOdds: ${rules.logOdds}, any: ${rules.any}, blocked: ${rules.blocked} },
  attackFrom: ${attackFrom},
  weights:
    '${weights}',
}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const examples = await readExamples()
  const odds = crossValidate(examples)
  const line = lineOf(examples, odds)
  report(examples, odds, line)
  writeFileSync(modelFile, fileOf(modelOf(learn(examples), line)))
}
