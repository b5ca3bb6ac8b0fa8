/** Tools, choice of tools and form of the answer, from the responses style into the chat call's own. */
import { badRequest } from '../error.ts'
import type { CreateResponse, RequestTool } from './request.ts'

type Fields = Record<string, unknown>

/** The one argument of a tool that takes free text: every model can call a function, few know anything else. */
const customInput = 'input'

export function toolsOf(tools: readonly RequestTool[]): Fields[] {
  return tools.flatMap((tool, at) => chatToolsOf(tool, { param: `tools[${at}]`, namespace: undefined }))
}

function chatToolsOf(
  tool: RequestTool,
  { param, namespace }: { param: string; namespace: string | undefined },
): Fields[] {
  const { type, name, description, parameters, strict, tools } = tool
  if (type === 'namespace' && namespace === undefined) {
    if (!name || !Array.isArray(tools)) throw badRequest('A namespace has a name and tools.', param)
    return tools.flatMap((inner, at) =>
      chatToolsOf(innerTool(inner), { param: `${param}.tools[${at}]`, namespace: name }),
    )
  }
  if (type !== 'function' && type !== 'custom') throw refusedTool(type, `${param}.type`)
  if (!name) throw badRequest('A tool needs a name.', `${param}.name`)
  const chatName = chatNameOf(name, namespace)
  if (type === 'custom') return [customTool({ ...tool, name: chatName })]
  const called = { name: chatName, ...withoutNulls({ description, parameters, strict }) }
  return [{ type: 'function', function: called }]
}

function innerTool(tool: unknown): RequestTool {
  const { type, name, ...rest } = isFields(tool) ? tool : {}
  return { ...rest, type: String(type), name: typeof name === 'string' ? name : null }
}

/** The chat API knows no namespaces. */
export function chatNameOf(name: string, namespace: unknown): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name
}

/** What a client calls one of its tools. */
export interface ClientTool {
  name: string
  namespace?: string
  /** It takes free text. */
  isCustom: boolean
}

/** The tools of a request by their names in the chat API; those that are missing are functions of that name. */
export function clientTools(tools: unknown): ReadonlyMap<string, ClientTool> {
  const found = new Map<string, ClientTool>()
  const add = (list: unknown, namespace?: string) => {
    if (!Array.isArray(list)) return
    for (const { type, name, tools: inner } of list.filter(isFields)) {
      if (typeof name !== 'string') continue
      if (type === 'namespace') add(inner, name)
      else if (type === 'custom' || namespace !== undefined)
        found.set(chatNameOf(name, namespace), {
          name,
          isCustom: type === 'custom',
          ...(namespace !== undefined && { namespace }),
        })
    }
  }
  add(tools)
  return found
}

function customTool({ name, description, format }: RequestTool): Fields {
  const grammar = isFields(format) && format['type'] === 'grammar' ? grammarNote(format) : ''
  const text = [typeof description === 'string' ? description : '', grammar].filter((part) => part !== '').join('\n\n')
  const input = { type: 'string', description: 'The whole input of the tool, as plain text.' }
  const parameters = {
    type: 'object',
    properties: { [customInput]: input },
    required: [customInput],
    additionalProperties: false,
  }
  return { type: 'function', function: { name, ...(text !== '' && { description: text }), parameters } }
}

function grammarNote(format: Fields): string {
  const { syntax, definition } = isFields(format['grammar']) ? format['grammar'] : format
  return `The input has to match this ${String(syntax)} grammar:\n${String(definition)}`
}

export function customArguments(input: unknown): string {
  return JSON.stringify({ [customInput]: typeof input === 'string' ? input : '' })
}

/** What a model wrote for a tool that takes free text. */
export function customInputOf(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text)
    const input = isFields(parsed) ? parsed[customInput] : parsed
    return typeof input === 'string' ? input : text
  } catch {
    return text
  }
}

export function toolChoiceOf(choice: NonNullable<CreateResponse['tool_choice']>): unknown {
  if (typeof choice === 'string') return choice
  const { type, name, namespace, mode, tools } = choice
  switch (type) {
    case 'function':
    case 'custom':
      return { type: 'function', function: { name: chatNameOf(String(name), namespace) } }
    case 'allowed_tools': {
      const allowed = Array.isArray(tools) ? tools.map(toolChoiceOf) : []
      return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } }
    }
    default:
      throw refusedTool(type, 'tool_choice.type')
  }
}

export function responseFormatOf(format: Fields): Fields | undefined {
  const { type, ...schema } = format
  if (type === 'json_schema') return { type, json_schema: withoutNulls(schema) }
  return type === 'json_object' ? { type } : undefined
}

export function refusedTool(type: unknown, param: string) {
  return badRequest(
    `Tools of the type ${JSON.stringify(type)} are not run here; there are function, custom and namespace, and the tools of an agent.`,
    param,
  )
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
}
