/** The responses style: items in, items out, told to the rest of the service as chat completions are. */

import { WholeReader } from '../chat/whole-reader.ts'
import type { Dialect } from '../http/dialect.ts'
import { answerOf } from './answer.ts'
import { responsesBody, unsupportedParameterIn } from './request-body.ts'
import { ResponsesReader } from './stream-reader.ts'

export const responsesDialect: Dialect = {
  style: 'responses',
  unsupportedParameter: unsupportedParameterIn,
  body: responsesBody,
  streamReader: (sink, modelByDefault, address) => new ResponsesReader(sink, modelByDefault, address),
  wholeReader: (address) => new WholeReader(address, answerOf),
}
