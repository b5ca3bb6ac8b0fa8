/** How an endpoint is spoken to: what differs between the styles of API, apart from the calls themselves. */

import type { BodyDefaults } from '../chat/request-body.ts'
import type { DeltaSink, ModelChoice, ModelRequest, Usage } from '../transport.ts'
import type { BodyReader } from './body-reader.ts'
import type { ApiStyleName } from './endpoint.ts'
import type { EndpointLabel } from './failures.ts'

/** What a call sends besides the request. */
export interface BodyOptions extends BodyDefaults {
  isStream: boolean
  /** False for an endpoint that refuses `stream_options`. */
  asksForUsage: boolean
}

/** A streamed answer, told to its sink while it is read. */
export interface StreamedAnswerReader extends BodyReader {
  /** As far as the endpoint has named it. */
  readonly model: string | undefined
  readonly usage: Usage | undefined
  readonly extra: Record<string, unknown>
  /** What the model said, for an estimate of its tokens. */
  readonly answerText: string
  /** A delta went out: from here on no other attempt may take over. */
  readonly hasEmitted: boolean
}

export interface WholeAnswer {
  model: string | undefined
  choices: ModelChoice[]
  usage: Usage | undefined
  extra: Record<string, unknown>
  answerText: string
}

/** An answer in one piece. */
export interface WholeAnswerReader extends BodyReader {
  readonly answer: WholeAnswer | undefined
}

export interface Dialect {
  readonly style: ApiStyleName
  /** The first parameter of the request that this style cannot say, if there is one. */
  unsupportedParameter(request: ModelRequest): string | undefined
  body(request: ModelRequest, form: BodyOptions): string
  streamReader(sink: DeltaSink, modelByDefault: string, address: EndpointLabel): StreamedAnswerReader
  wholeReader(address: EndpointLabel): WholeAnswerReader
}
