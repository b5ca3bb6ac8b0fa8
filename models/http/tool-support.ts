/** Which models refuse tools: learned from the endpoint's own refusal, remembered for a while. */
import type { Clock } from '../../runtime/time/clock.ts'
import { ModelError } from '../errors.ts'
import type { ModelRequest } from '../transport.ts'

/** An endpoint may change: after this long the model gets tools again. */
const rememberedMs = 3_600_000

/** Names come from clients: the oldest is forgotten first. */
const modelsMax = 256

/** Of tools, or of sealed reasoning. */
export class RefusalsByModel {
  readonly #untilMs = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(model: string): boolean {
    const untilMs = this.#untilMs.get(model)
    if (untilMs === undefined) return false
    if (this.#clock.elapsed() < untilMs) return true
    this.#untilMs.delete(model)
    return false
  }

  remember(model: string): void {
    this.#untilMs.delete(model)
    const oldest = this.#untilMs.keys().next()
    if (this.#untilMs.size === modelsMax && !oldest.done) this.#untilMs.delete(oldest.value)
    this.#untilMs.set(model, this.#clock.elapsed() + rememberedMs)
  }
}

const toolParameters = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'] as const

export function hasTools({ parameters: { tools, functions } }: Pick<ModelRequest, 'parameters'>): boolean {
  return [tools, functions].some((each) => Array.isArray(each) && each.length > 0)
}

/** The same request for a model that takes no tools. */
export function withoutTools(request: ModelRequest): ModelRequest {
  const parameters = { ...request.parameters }
  for (const name of toolParameters) delete parameters[name]
  return { ...request, parameters }
}

/** Some say it with 404 (no endpoint for it), 500 or 501 instead of 400. */
const refusalStatuses = new Set([400, 404, 422, 500, 501])

/** Tools as such; not one of them, nor a field of one (`tools[0].function`, `"tools",0`). */
const namesTools =
  /\btools?\b(?!["'`]?(?:\[|\.\w|,\s*\d))(?![ _-]?choice\b)|\btool choice\b|\bfunction[ _-]?call(?:s|ing)?\b/i

/** That there is no such thing there; not that one was wrong. */
const saysNone =
  /(?:\bnot|n't)(?: \w+){0,2} (?:support|enabled|available|permitted|allowed|implemented)|unsupported|unrecogni[sz]ed|unknown (?:parameter|argument|field)|unexpected (?:parameter|argument|keyword)|extra inputs|no endpoints? found|\brequires? --/i

/** Whether the endpoint says that it, or the model, takes no tools at all. */
export function refusesTools(error: unknown): boolean {
  if (!(error instanceof ModelError) || !refusalStatuses.has(error.upstreamStatus ?? 0)) return false
  if (error.param !== undefined && !/^(?:body\.)?(?:tools|functions)$/.test(error.param)) return false
  const words = `${error.param ?? ''} ${error.message}`
  return namesTools.test(words) && saysNone.test(words)
}
