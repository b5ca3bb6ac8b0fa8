/** Planner, executor, synthesis: the model divides the work, does each step with tools, and answers from the results. */
import { callModel } from '../call-model.ts'
import { toolLoop } from '../loop.ts'
import { builtIn } from './prompts.ts'
import { type Strategy, under, withSystem } from './strategy.ts'

export interface PlanRules {
  stepsMax: number
  /** Model calls of one step. */
  stepRounds: number
  prompt: string
}

/** @param answer writes the answer once the steps are done */
export function plan({ stepsMax, stepRounds, prompt }: PlanRules, answer: Strategy): Strategy {
  return async (run, ask, sink) => {
    run.progress('planning')
    const planned = await callModel(run, {
      path: under(ask.path, 'plan'),
      n: 0,
      agent: ask.agent,
      messages: withSystem(ask.messages, (prompt || builtIn.plan).replaceAll('{steps}', String(stepsMax))),
      tools: [],
    })
    const steps = stepsOf(planned.text).slice(0, stepsMax)
    // Nothing to divide: answered at once.
    if (steps.length === 0) return await answer(run, ask, sink)
    const results: string[] = []
    for (const [at, step] of steps.entries()) {
      run.progress(`step ${at + 1} of ${steps.length}: ${step}`)
      const instruction = builtIn.planStep
        .replace('{number}', String(at + 1))
        .replace('{count}', String(steps.length))
        .replace('{step}', () => step)
      const { text, clientCalls, finishReason } = await toolLoop(run, {
        ...ask,
        path: under(ask.path, `step-${at + 1}`),
        messages: [...ask.messages, ...shown(steps, results), { role: 'user', content: instruction }],
        stepsMax: stepRounds,
        // A plan's step cannot wait for the client.
        clientTools: [],
      })
      results.push(clientCalls ? finishReason : text)
    }
    const messages = [...ask.messages, ...shown(steps, results), { role: 'user', content: builtIn.planAnswer }]
    return await answer(run, { ...ask, path: under(ask.path, 'answer'), messages }, sink)
  }
}

function shown(steps: readonly string[], results: readonly string[]) {
  if (results.length === 0) return []
  const done = results.map((result, at) => `Step ${at + 1}: ${steps[at]}\nResult: ${result}`).join('\n\n')
  return [{ role: 'assistant', content: done }]
}

/** A JSON array of strings wherever it stands in the text; else the lines that are numbered or marked as a list. */
export function stepsOf(text: string): string[] {
  const array = /\[[\s\S]*\]/.exec(text)?.[0]
  if (array !== undefined) {
    try {
      const parsed: unknown = JSON.parse(array)
      if (Array.isArray(parsed)) return parsed.filter(isStep).map((step) => step.trim())
    } catch {
      // Not JSON after all: read as lines.
    }
  }
  return text
    .split('\n')
    .map((line) => /^\s*(?:\d{1,3}[.)]|[-*•])\s+(.+)$/.exec(line)?.[1]?.trim())
    .filter(isStep)
}

function isStep(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
