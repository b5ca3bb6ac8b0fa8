/** The draft of an agent in the form, and its conversion from and to a definition. */
import type { Answer, Body } from '../../api/types.ts'

export type Agent = Answer<'GET /v1/admin/agents/{agent_id}'>
export type Definition = Agent['definition']
type NewDefinition = Body<'POST /v1/admin/agents'>['definition']
type Effort = NonNullable<Definition['reasoning_effort']>

export const efforts: readonly Effort[] = ['none', 'low', 'medium', 'high', 'xhigh']

export interface Draft {
  name: string
  model: string
  instructions: string
  persona: string
  temperature: number | undefined
  top_p: number | undefined
  max_tokens: number | undefined
  context_tokens: number | undefined
  reasoning_effort: Effort | undefined
  /** False: all tools that the settings enable, and `tools` is ignored. */
  isLimited: boolean
  tools: string[]
  approval_tools: string[]
  sub_agents: string[]
}

/** What the form's parts get. */
export interface FieldsProps {
  draft: Draft
  change(changed: Partial<Draft>): void
  isReadOnly: boolean
  /** The field that the service refused. */
  refused: string | undefined
}

export const emptyDraft: Draft = {
  name: '',
  model: '',
  instructions: '',
  persona: '',
  temperature: undefined,
  top_p: undefined,
  max_tokens: undefined,
  context_tokens: undefined,
  reasoning_effort: undefined,
  isLimited: false,
  tools: [],
  approval_tools: [],
  sub_agents: [],
}

export function draftOf({ name, definition }: Pick<Agent, 'name' | 'definition'>): Draft {
  const { tools, ...rest } = definition
  return { ...emptyDraft, ...rest, name, isLimited: tools !== undefined, tools: tools ?? [] }
}

export function definitionOf(draft: Draft): NewDefinition {
  const { name: _name, isLimited, tools, ...rest } = draft
  const definedFields = Object.entries({ ...rest, tools: isLimited ? tools : undefined })
  return Object.fromEntries(definedFields.filter(([, value]) => value !== undefined)) as NewDefinition
}

export function isSame(one: Draft, other: Draft): boolean {
  return one.name === other.name && ordered(definitionOf(one)) === ordered(definitionOf(other))
}

const ordered = (fields: object): string => JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
