/** An agent as operators write it: who answers, with which model, prompt and tools. */
import { z } from 'zod'

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, dots, dashes and underscores, at most 64')
export const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_*-]{1,128}$/, 'the name of a tool; an asterisk at the end stands for any ending')

export const ReasoningEffort = z.enum(['none', 'low', 'medium', 'high', 'xhigh'])
export type ReasoningEffort = z.infer<typeof ReasoningEffort>

/** Names that mean something else: the agent that answers where none is named. */
export const defaultAgentName = 'default'

export const AgentName = Name
export type AgentName = z.infer<typeof AgentName>

export const AgentDefinition = z.strictObject({
  /** Blank: the model of the settings. */
  model: z.string().max(256).default(''),
  instructions: z.string().max(100_000).default(''),
  persona: z.string().max(20_000).default(''),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.int().min(1).optional(),
  reasoning_effort: ReasoningEffort.optional(),
  /** Tools it may call; `name*` for all that begin so. Absent: all that the settings switch on. */
  tools: z.array(ToolName).max(200).optional(),
  /** Tools that wait for an operator, besides those of SERVICE_APPROVAL_TOOLS. */
  approval_tools: z.array(ToolName).max(200).default([]),
  /** Agents that it may hand work to. */
  sub_agents: z.array(Name).max(50).default([]),
  /** Tokens of the past that its model is told; absent: SERVICE_AGENT_CONTEXT_TOKENS. */
  context_tokens: z.int().min(500).optional(),
})
export type AgentDefinition = z.infer<typeof AgentDefinition>

/** Who answers where nobody else is named, until an operator makes an agent of that name. */
export const defaultAgent: AgentDefinition = AgentDefinition.parse({})

/** An agent under its name: plain data. */
export interface AgentProfile {
  name: string
  /** 0: one that nobody has written. Absent: it is not known. */
  version?: number | undefined
  definition: AgentDefinition
}
