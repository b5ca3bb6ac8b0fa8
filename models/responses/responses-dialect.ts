/** The responses style: items in, items out, told to the rest of the service as chat completions are. */

import { WholeReader } from '../chat/whole-reader.ts'
import type { Dialect } from '../http/dialect.ts'
import { answerOf } from './answer.ts'
import { responsesBody, unsayableIn } from './request-body.ts'
import { ResponsesReader } from './stream-reader.ts'

export const responsesDialect: Dialect = {
  style: 'responses',
  unsayable: unsayableIn,
  body: responsesBody,
  streamed: (sink, modelByDefault, address) => new ResponsesReader(sink, modelByDefault, address),
  whole: (address) => new WholeReader(address, answerOf),
}
