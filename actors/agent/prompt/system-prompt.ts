/**
 * The system prompt, in one place. What stays the same from turn to turn comes first, what changes each hour behind it,
 * what changes each turn last: endpoints that cache the beginning of a prompt then find as much of it as there is.
 */
import { application } from './application.ts'
import { confidential } from './confidential.ts'
import { dateTime } from './date-time.ts'
import type { PromptInput } from './input.ts'
import { locale } from './locale.ts'
import { memory } from './memory.ts'
import { platform } from './platform.ts'
import { section } from './section.ts'
import { toolNotes } from './tool-notes.ts'

type Part = (input: PromptInput) => string | null

const parts: readonly Part[] = [
  ({ agent, canary }) => platform(agent.name, canary),
  ({ agent }) => section('instructions', agent.instructions),
  ({ agent }) => section('persona', agent.persona),
  (input) => locale(input.locale),
  ({ tools }) => toolNotes(tools),
  ({ isConfidential }) => confidential(isConfidential),
  (input) => application(input.application),
  ({ nowMs, timeZone }) => dateTime(nowMs, timeZone),
  (input) => memory(input.memory),
]

export function systemPrompt(input: PromptInput): string {
  return parts
    .map((part) => part(input))
    .filter((text) => text !== null)
    .join('\n\n')
}
