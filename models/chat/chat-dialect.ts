/** The chat-completions convention: requests go as they are. */
import type { Dialect } from '../http/dialect.ts'
import { streamBody, wholeBody } from './request-body.ts'
import { StreamReader } from './stream-reader.ts'
import { WholeReader } from './whole-reader.ts'

export const chatDialect: Dialect = {
  style: 'chat',
  unsayable: () => undefined,
  body: (request, form) => (form.isStream ? streamBody(request, form, form.asksForUsage) : wholeBody(request, form)),
  streamed: (sink, modelByDefault, address) => new StreamReader(sink, modelByDefault, address),
  whole: (address) => new WholeReader(address),
}
