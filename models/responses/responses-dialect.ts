/** The responses style: items in, items out; to the rest of the service it looks like chat completions. */
import type { Dialect } from '../http/dialect.ts'
import { WholeReader } from '../http/whole-reader.ts'
import { responsesAnswer } from './answer.ts'
import { responsesBody, unsupportedParameterIn } from './request-body.ts'
import { ResponsesReader } from './stream-reader.ts'

export const responsesDialect: Dialect = {
  style: 'responses',
  unsupportedParameter: unsupportedParameterIn,
  body: responsesBody,
  streamReader: (sink, modelByDefault, endpoint) => new ResponsesReader(sink, modelByDefault, endpoint),
  wholeReader: (endpoint) => new WholeReader(endpoint, responsesAnswer),
}
