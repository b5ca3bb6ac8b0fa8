/**
 * In which form an endpoint is asked: its style, with or without tools, with or without a wish for usage. What it refuses is
 * learned, and the call is made again at once in the form that is left: each step gives something up, so there are few.
 */

import type { Log } from '../runtime/log/log.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { ModelError } from './errors.ts'
import type { Dialect } from './http/dialect.ts'
import type { EndpointAddress } from './http/endpoint.ts'
import { hasTools, refusesTools, ToolRefusals } from './tool-support.ts'
import type { ModelRequest } from './transport.ts'

/** A way to the endpoint. */
export interface Way {
  dialect: Dialect
  address: EndpointAddress
}

export interface Form {
  way: Way
  /** False: an endpoint that refuses `stream_options`. */
  asksForUsage: boolean
  withTools: boolean
  /** False: a model whose endpoint gives or takes no sealed reasoning. */
  withReasoning: boolean
}

/** A second way that had to be found is doubted after this long: the first may have been away for a moment only. */
const secondWayMs = 3_600_000

export class Forms {
  readonly #first: Way
  readonly #second: Way | undefined
  readonly #clock: Clock
  readonly #log: Log | undefined
  readonly #toolRefusals: ToolRefusals
  readonly #reasoningRefusals: ToolRefusals
  #asksForUsage = true
  #hasFirstServed = false
  /** Until then the second way is taken at once. */
  #secondUntilMs = Number.NEGATIVE_INFINITY

  /** @param ways the second is for endpoints that know nothing of the first */
  constructor([first, second]: readonly [Way, Way?], clock: Clock, log: Log | undefined) {
    this.#first = first
    this.#second = second
    this.#clock = clock
    this.#log = log
    this.#toolRefusals = new ToolRefusals(clock)
    this.#reasoningRefusals = new ToolRefusals(clock)
  }

  supportsTools(model: string): boolean {
    return !this.#toolRefusals.has(model)
  }

  /**
   * @param model as it will be sent
   * @throws ModelError `bad_request` where the request cannot be said in any way that is left
   */
  of(request: ModelRequest, model: string): Form {
    const withTools = hasTools(request) && this.supportsTools(model)
    const withReasoning = request.keepsReasoning === true && !this.#reasoningRefusals.has(model)
    return { way: this.#wayFor(request), asksForUsage: this.#asksForUsage, withTools, withReasoning }
  }

  /** What to ask again in; undefined: the failure taught nothing. Only while nothing of an answer was passed on. */
  after(error: unknown, form: Form): Form | undefined {
    if (form.asksForUsage && refusesStreamOptions(error)) {
      this.#asksForUsage = false
      return { ...form, asksForUsage: false }
    }
    if (form.withReasoning && form.way.dialect.style === 'responses' && refusesReasoning(error))
      return { ...form, withReasoning: false }
    if (form.withTools && refusesTools(error)) return { ...form, withTools: false }
    if (this.#second && form.way === this.#first && !this.#hasFirstServed && isNoSuchWay(error))
      return { ...form, way: this.#second }
    return undefined
  }

  /** The form has brought an answer, or the beginning of one: what was learned on the way to it was true. */
  served(form: Form, request: ModelRequest, model: string): void {
    if (form.way === this.#first) this.#hasFirstServed = true
    if (!form.withReasoning && request.keepsReasoning && !this.#reasoningRefusals.has(model))
      this.#reasoningRefusals.remember(model)
    if (!form.withTools && hasTools(request) && this.supportsTools(model)) {
      this.#toolRefusals.remember(model)
      this.#log?.warn({ model }, 'the model takes no tools: it is asked without them for the next hour')
    }
  }

  /** The first way was refused and the second has served. */
  secondServed(): void {
    this.#secondUntilMs = this.#clock.elapsed() + secondWayMs
    this.#log?.info({ style: this.#second?.dialect.style }, 'the style of the model endpoint was found out')
  }

  #wayFor(request: ModelRequest): Way {
    const unsayable = this.#first.dialect.unsayable(request)
    if (this.#second && (unsayable !== undefined || this.#clock.elapsed() < this.#secondUntilMs)) return this.#second
    if (unsayable === undefined) return this.#first
    throw new ModelError('bad_request', `the model is reached by an API that has no "${unsayable}"`, {
      param: unsayable,
    })
  }
}

/** A path that nobody knows, or a method: by the words of the refusal it cannot be told from an unknown model. */
export function isNoSuchWay(error: unknown): error is ModelError {
  return error instanceof ModelError && [404, 405, 501].includes(error.upstreamStatus ?? 0)
}

/** That it gives none, or cannot open what it is given: another key, another model. */
function refusesReasoning(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    [400, 404, 422].includes(error.upstreamStatus ?? 0) &&
    /encrypted[ _]content|\binclude\b|type:? ["'`]?reasoning/i.test(
      `${error.param ?? ''} ${error.code} ${error.message}`,
    )
  )
}

function refusesStreamOptions(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    (error.upstreamStatus === 400 || error.upstreamStatus === 422) &&
    /stream_options|include_usage/.test(`${error.param ?? ''} ${error.message}`)
  )
}
