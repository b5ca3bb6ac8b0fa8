/** The chat-completions convention: requests go as they are. */
import type { Dialect } from '../http/dialect.ts'
import { WholeReader } from '../http/whole-reader.ts'
import { chatAnswer } from './answer.ts'
import { chatBody } from './request-body.ts'
import { StreamReader } from './stream-reader.ts'

export const chatDialect: Dialect = {
  style: 'chat',
  unsupportedParameter: () => undefined,
  body: chatBody,
  streamReader: (sink, modelByDefault, endpoint) => new StreamReader(sink, modelByDefault, endpoint),
  wholeReader: (endpoint) => new WholeReader(endpoint, chatAnswer),
}
