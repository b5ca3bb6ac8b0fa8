/** What the client's own system messages say: instructions of the application that calls, behind those of the operator. */
import type { ChatMessage } from '../../../models/transport.ts'
import { section } from './section.ts'

export function application(messages: readonly ChatMessage[]): string | null {
  const texts = messages.filter(({ role }) => role === 'system' || role === 'developer').map(textOf)
  return section('application', texts.filter((text) => text.trim() !== '').join('\n\n'))
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n')
}
