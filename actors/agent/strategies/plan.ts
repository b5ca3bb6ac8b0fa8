/** Planner, executor, synthesis: the model divides the work, does each step with tools, and answers from the results. */
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { toolLoop } from '../loop.ts'
import { callModel } from '../model/call-model.ts'
import type { ClientToolCalls } from '../tools/client-tool-calls.ts'
import { defaultPrompts } from './prompts.ts'
import { sideQuestion } from './side-question.ts'
import { orBestSoFar, type Strategy, type StrategyRequest, subPath, withSystemPrompt } from './strategy.ts'

export interface PlanRules {
  stepsMax: number
  /** Model calls of one step. */
  stepRounds: number
  prompt: string
}

/** @param answer writes the answer once the steps are done */
export function plan(rules: PlanRules, answer: Strategy): Strategy {
  return async (run, request, sink) => {
    // The client has answered its call: the plan of the turn that asked for it is carried out already.
    const steps = request.messages.at(-1)?.role === 'tool' ? [] : await makePlan(run, request, rules)
    // Nothing to divide: answered at once.
    if (steps.length === 0) return await answer(run, request, sink)
    const done: DoneStep[] = []
    const bestSoFar = () => (done.length > 0 ? { text: textOf(done) } : undefined)
    const carryOutPlan = async (reader: AnswerSink | undefined) => {
      for (const step of steps) {
        run.progress(`step ${done.length + 1} of ${steps.length}: ${step}`)
        done.push({ step, result: await carryOutStep(run, request, { rules, steps, done }) })
      }
      const messages = [
        ...request.messages,
        ...resultMessages(done),
        { role: 'user', content: defaultPrompts.planAnswer },
      ]
      const result = await answer(run, { ...request, path: subPath(request.path, 'answer'), messages }, reader)
      return result.clientToolCalls
        ? { ...result, clientToolCalls: afterResults(resultMessages(done), result.clientToolCalls) }
        : result
    }
    return await orBestSoFar(run, sink, { bestSoFar, better: carryOutPlan })
  }
}

function afterResults(results: readonly ChatMessage[], calls: ClientToolCalls): ClientToolCalls {
  return { ...calls, before: [...results, ...calls.before] }
}

interface DoneStep {
  step: string
  result: string
}

async function makePlan(
  run: AgentRun,
  { path, agent, messages }: StrategyRequest,
  { stepsMax, prompt }: PlanRules,
): Promise<string[]> {
  run.progress('planning')
  const { text } = await callModel(sideQuestion(run), {
    path: subPath(path, 'plan'),
    n: 0,
    agent,
    tools: [],
    messages: withSystemPrompt(messages, (prompt || defaultPrompts.plan).replaceAll('{steps}', String(stepsMax))),
  })
  return stepsOf(text).slice(0, stepsMax)
}

/** The next step, which is told the results of those before. @returns its result */
async function carryOutStep(
  run: AgentRun,
  request: StrategyRequest,
  { rules, steps, done }: { rules: PlanRules; steps: readonly string[]; done: readonly DoneStep[] },
): Promise<string> {
  const number = done.length + 1
  const instruction = defaultPrompts.planStep
    .replace('{number}', String(number))
    .replace('{count}', String(steps.length))
    .replace('{step}', () => steps[number - 1] ?? '')
  const { text } = await toolLoop(sideQuestion(run), {
    ...request,
    path: subPath(request.path, `step-${number}`),
    messages: [...request.messages, ...resultMessages(done), { role: 'user', content: instruction }],
    stepsMax: rules.stepRounds,
    // A plan's step cannot wait for the client.
    clientTools: [],
  })
  return text
}

function resultMessages(done: readonly DoneStep[]): ChatMessage[] {
  return done.length === 0 ? [] : [{ role: 'assistant', content: textOf(done) }]
}

function textOf(done: readonly DoneStep[]): string {
  return done.map(({ step, result }, at) => `Step ${at + 1}: ${step}\nResult: ${result}`).join('\n\n')
}

/** The JSON array of strings in the text; without one the lines that are numbered or marked as a list. */
export function stepsOf(text: string): string[] {
  const steps = arrayIn(text).filter(isStep)
  if (steps.length > 0) return steps.map((step) => step.trim())
  return text
    .split(/\r?\n/)
    .map((line) => /^\s*(?:\d{1,3}[.)]|[-*•])\s+(.+)$/.exec(line)?.[1]?.trim())
    .filter(isStep)
}

function arrayIn(text: string): unknown[] {
  const from = text.indexOf('[')
  const to = text.lastIndexOf(']')
  if (from === -1 || to < from) return []
  try {
    const parsed: unknown = JSON.parse(text.slice(from, to + 1))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    // Brackets that mean something else: read as lines.
    return []
  }
}

function isStep(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
