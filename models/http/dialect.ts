/** What differs between the styles of API: the body of a request, and how an answer is read. */

import type { DeltaSink, ModelChoice, ModelRequest, Usage } from '../transport.ts'
import type { BodyReader } from './body-reader.ts'
import type { ApiStyleName } from './endpoint.ts'
import type { EndpointLabel } from './failures.ts'

export interface BodyDefaults {
  /** Blank: the request's own. */
  model: string
  /** Used where the request has none; undefined: not sent. */
  temperature: number | undefined
  topP: number | undefined
}

/** What a call sends besides the request. */
export interface BodyOptions extends BodyDefaults {
  isStream: boolean
  /** False for an endpoint that refuses `stream_options`. */
  asksForUsage: boolean
}

/** Reads a streamed answer and passes it on to a sink as it comes. */
export interface StreamedAnswerReader extends BodyReader {
  /** As far as the endpoint has named it. */
  readonly model: string | undefined
  readonly usage: Usage | undefined
  readonly extra: Record<string, unknown>
  /** The text of the answer, for an estimate of its tokens. */
  readonly answerText: string
  /** A delta was passed on: from here on no other attempt may take over. */
  readonly hasEmitted: boolean
}

export interface WholeAnswer {
  model: string | undefined
  choices: ModelChoice[]
  usage: Usage | undefined
  extra: Record<string, unknown>
  answerText: string
}

/** Reads an answer that comes in one piece. */
export interface WholeAnswerReader extends BodyReader {
  readonly answer: WholeAnswer | undefined
}

export interface Dialect {
  readonly style: ApiStyleName
  /** The first parameter of the request that this style does not support, if there is one. */
  unsupportedParameter(request: ModelRequest): string | undefined
  body(request: ModelRequest, options: BodyOptions): string
  streamReader(sink: DeltaSink, modelByDefault: string, endpoint: EndpointLabel): StreamedAnswerReader
  wholeReader(endpoint: EndpointLabel): WholeAnswerReader
}
