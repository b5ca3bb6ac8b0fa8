/**
 * In which variant an endpoint is sent a request: the style of API, with or without tools, sealed reasoning, a wish for usage.
 * What the endpoint refuses is learned, and the call is made again at once without it: each fallback gives something up, so
 * there are few.
 */
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ModelError } from '../errors.ts'
import type { ModelRequest } from '../transport.ts'
import type { Dialect } from './dialect.ts'
import type { EndpointAddress } from './endpoint.ts'
import { hasTools, RefusalsByModel, refusesTools } from './tool-support.ts'

/** A style of API that the endpoint may have, and its address there. */
export interface ApiStyle {
  dialect: Dialect
  address: EndpointAddress
}

export interface RequestVariant {
  style: ApiStyle
  /** False: an endpoint that refuses `stream_options`. */
  asksForUsage: boolean
  includesTools: boolean
  /** False: a model whose endpoint neither gives nor takes sealed reasoning. */
  includesReasoning: boolean
}

/** For so long the second style is used once it was found: the first may have been missing for a moment only. */
const secondStyleMs = 3_600_000

export class Negotiation {
  readonly #first: ApiStyle
  readonly #second: ApiStyle | undefined
  readonly #clock: Clock
  readonly #log: Log | undefined
  readonly #toolRefusals: RefusalsByModel
  readonly #reasoningRefusals: RefusalsByModel
  #asksForUsage = true
  #hasFirstSucceeded = false
  /** Until then the second style is used at once. */
  #secondUntilMs = Number.NEGATIVE_INFINITY

  /** @param styles the second is for endpoints that do not have the first */
  constructor([first, second]: readonly [ApiStyle, ApiStyle?], clock: Clock, log: Log | undefined) {
    this.#first = first
    this.#second = second
    this.#clock = clock
    this.#log = log
    this.#toolRefusals = new RefusalsByModel(clock)
    this.#reasoningRefusals = new RefusalsByModel(clock)
  }

  supportsTools(model: string): boolean {
    return !this.#toolRefusals.has(model)
  }

  /**
   * @param model as it will be sent
   * @throws ModelError `bad_request` where no style that is left supports the request
   */
  variantFor(request: ModelRequest, model: string): RequestVariant {
    return {
      style: this.#styleFor(request),
      asksForUsage: this.#asksForUsage,
      includesTools: hasTools(request) && this.supportsTools(model),
      includesReasoning: request.keepsReasoning === true && !this.#reasoningRefusals.has(model),
    }
  }

  /** What to try at once instead; undefined: the error is not about the variant. Only while nothing of an answer was passed on. */
  fallbackFor(error: unknown, variant: RequestVariant): RequestVariant | undefined {
    if (variant.asksForUsage && refusesStreamOptions(error)) {
      this.#asksForUsage = false
      return { ...variant, asksForUsage: false }
    }
    if (variant.includesReasoning && variant.style.dialect.style === 'responses' && refusesReasoning(error))
      return { ...variant, includesReasoning: false }
    if (variant.includesTools && refusesTools(error)) return { ...variant, includesTools: false }
    if (this.#second && variant.style === this.#first && !this.#hasFirstSucceeded && refusesStyle(error))
      return { ...variant, style: this.#second }
    return undefined
  }

  /** The variant has brought an answer, or the beginning of one: what was learned on the way to it was true. */
  recordSuccess(variant: RequestVariant, request: ModelRequest, model: string): void {
    if (variant.style === this.#first) this.#hasFirstSucceeded = true
    if (!variant.includesReasoning && request.keepsReasoning && !this.#reasoningRefusals.has(model))
      this.#reasoningRefusals.remember(model)
    if (!variant.includesTools && hasTools(request) && this.supportsTools(model)) {
      this.#toolRefusals.remember(model)
      this.#log?.warn({ model }, 'the model takes no tools: requests go without them for the next hour')
    }
  }

  /** The first style was refused and the second has brought an answer. */
  recordSecondStyle(): void {
    this.#secondUntilMs = this.#clock.elapsed() + secondStyleMs
    this.#log?.info({ style: this.#second?.dialect.style }, 'the style of the model endpoint was found')
  }

  #styleFor(request: ModelRequest): ApiStyle {
    const unsupported = this.#first.dialect.unsupportedParameter(request)
    if (this.#second && (unsupported !== undefined || this.#clock.elapsed() < this.#secondUntilMs)) return this.#second
    if (unsupported === undefined) return this.#first
    throw new ModelError('bad_request', `the model is reached by an API that does not support "${unsupported}"`, {
      param: unsupported,
    })
  }
}

/** An unknown path or method. By its message alone it cannot be told from an unknown model. */
export function refusesStyle(error: unknown): error is ModelError {
  return error instanceof ModelError && [404, 405, 501].includes(error.upstreamStatus ?? 0)
}

/** The endpoint gives none, or cannot open what it is sent: another key, another model. */
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
