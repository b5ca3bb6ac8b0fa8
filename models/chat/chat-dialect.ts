/** The chat-completions convention: requests go as they are. */
import type { Dialect } from '../http/dialect.ts'
import { streamBody, wholeBody } from './request-body.ts'
import { StreamReader } from './stream-reader.ts'
import { WholeReader } from './whole-reader.ts'

export const chatDialect: Dialect = {
  style: 'chat',
  unsupportedParameter: () => undefined,
  body: (request, form) => (form.isStream ? streamBody(request, form, form.asksForUsage) : wholeBody(request, form)),
  streamReader: (sink, modelByDefault, address) => new StreamReader(sink, modelByDefault, address),
  wholeReader: (address) => new WholeReader(address),
}
