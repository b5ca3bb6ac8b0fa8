/**
 * In which form an endpoint is asked: its style, with or without tools, with or without a wish for usage. What it refuses is
 * learned, and the call is made again at once in the form that is left: each step gives something up, so there are few.
 */

import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ModelError } from '../errors.ts'
import type { ModelRequest } from '../transport.ts'
import type { Dialect } from './dialect.ts'
import type { EndpointAddress } from './endpoint.ts'
import { hasTools, refusesTools, ToolRefusals } from './tool-support.ts'

/** A way to the endpoint. */
export interface ApiStyle {
  dialect: Dialect
  address: EndpointAddress
}

export interface RequestVariant {
  style: ApiStyle
  /** False: an endpoint that refuses `stream_options`. */
  asksForUsage: boolean
  includesTools: boolean
  /** False: a model whose endpoint gives or takes no sealed reasoning. */
  includesReasoning: boolean
}

/** A second way that had to be found is doubted after this long: the first may have been away for a moment only. */
const secondWayMs = 3_600_000

export class Negotiation {
  readonly #first: ApiStyle
  readonly #second: ApiStyle | undefined
  readonly #clock: Clock
  readonly #log: Log | undefined
  readonly #toolRefusals: ToolRefusals
  readonly #reasoningRefusals: ToolRefusals
  #asksForUsage = true
  #hasFirstServed = false
  /** Until then the second way is taken at once. */
  #secondUntilMs = Number.NEGATIVE_INFINITY

  /** @param ways the second is for endpoints that know nothing of the first */
  constructor([first, second]: readonly [ApiStyle, ApiStyle?], clock: Clock, log: Log | undefined) {
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
  variantFor(request: ModelRequest, model: string): RequestVariant {
    const withTools = hasTools(request) && this.supportsTools(model)
    const withReasoning = request.keepsReasoning === true && !this.#reasoningRefusals.has(model)
    return {
      style: this.#wayFor(request),
      asksForUsage: this.#asksForUsage,
      includesTools: withTools,
      includesReasoning: withReasoning,
    }
  }

  /** What to ask again in; undefined: the failure taught nothing. Only while nothing of an answer was passed on. */
  fallbackFor(error: unknown, form: RequestVariant): RequestVariant | undefined {
    if (form.asksForUsage && refusesStreamOptions(error)) {
      this.#asksForUsage = false
      return { ...form, asksForUsage: false }
    }
    if (form.includesReasoning && form.style.dialect.style === 'responses' && refusesReasoning(error))
      return { ...form, includesReasoning: false }
    if (form.includesTools && refusesTools(error)) return { ...form, includesTools: false }
    if (this.#second && form.style === this.#first && !this.#hasFirstServed && refusesStyle(error))
      return { ...form, style: this.#second }
    return undefined
  }

  /** The form has brought an answer, or the beginning of one: what was learned on the way to it was true. */
  recordSuccess(form: RequestVariant, request: ModelRequest, model: string): void {
    if (form.style === this.#first) this.#hasFirstServed = true
    if (!form.includesReasoning && request.keepsReasoning && !this.#reasoningRefusals.has(model))
      this.#reasoningRefusals.remember(model)
    if (!form.includesTools && hasTools(request) && this.supportsTools(model)) {
      this.#toolRefusals.remember(model)
      this.#log?.warn({ model }, 'the model takes no tools: it is asked without them for the next hour')
    }
  }

  /** The first way was refused and the second has served. */
  recordSecondStyle(): void {
    this.#secondUntilMs = this.#clock.elapsed() + secondWayMs
    this.#log?.info({ style: this.#second?.dialect.style }, 'the style of the model endpoint was found out')
  }

  #wayFor(request: ModelRequest): ApiStyle {
    const unsayable = this.#first.dialect.unsupportedParameter(request)
    if (this.#second && (unsayable !== undefined || this.#clock.elapsed() < this.#secondUntilMs)) return this.#second
    if (unsayable === undefined) return this.#first
    throw new ModelError('bad_request', `the model is reached by an API that has no "${unsayable}"`, {
      param: unsayable,
    })
  }
}

/** A path that nobody knows, or a method: by the words of the refusal it cannot be told from an unknown model. */
export function refusesStyle(error: unknown): error is ModelError {
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
