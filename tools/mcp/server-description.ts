/** SERVICE_MCP_SERVERS read closely: which servers there are, and which entries cannot be, told without their values. */
import { z } from 'zod'
import { serverLabel } from './tool-name.ts'

const Text = z
  .string()
  .max(32_768)
  .refine((text) => !text.includes('\0'), 'must not contain NUL')
const Filled = Text.min(1)

/** Node refuses what would break a request apart, so the same judgement is made here, once. */
const HeaderMap = z.record(z.string(), Text).refine((headers) => {
  try {
    return new Headers(headers) !== undefined
  } catch {
    return false
  }
}, 'must be names and values that HTTP allows')

const VariableMap = z.record(z.string().regex(/^[^=\0]+$/, 'must be names of variables'), Text)

const StdioServer = z.object({
  type: z.literal('stdio').optional(),
  command: Filled,
  args: z.array(Text).max(1_000).default([]),
  env: VariableMap.default({}),
  cwd: Filled.optional(),
})

const HttpServer = z.object({
  type: z.enum(['http', 'streamable-http', 'streamableHttp', 'streamable_http']).optional(),
  url: z
    .string()
    .max(8_192)
    .refine(
      (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      'must be an http or https address',
    ),
  headers: HeaderMap.default({}),
})

export type StdioDescription = z.output<typeof StdioServer> & { kind: 'stdio'; name: string; label: string }
export type HttpDescription = z.output<typeof HttpServer> & { kind: 'http'; name: string; label: string }
export type ServerDescription = StdioDescription | HttpDescription

export interface RefusedDescription {
  /** Of the entry; where it has none, its place in the list. */
  name: string
  why: string
}

export interface ServerDescriptions {
  servers: ServerDescription[]
  refused: RefusedDescription[]
}

const nameLengthMax = 128

/** @param setting its value: `{ mcpServers: {…} }`, the map alone, or a list of entries with a `name` */
export function parseServerDescriptions(setting: unknown, serversMax: number): ServerDescriptions {
  const servers: ServerDescription[] = []
  const refused: RefusedDescription[] = []
  const taken = new Set<string>()
  for (const [name, entry] of namedEntries(setting)) {
    const label = serverLabel(name)
    const refuse = (why: string) => refused.push({ name: name.slice(0, nameLengthMax), why })
    if (isSwitchedOff(entry)) continue
    if (name === '' || name.length > nameLengthMax) refuse(`its name must have 1 to ${nameLengthMax} characters`)
    else if (taken.has(label)) refuse('another server has the same name')
    else if (servers.length >= serversMax) refuse(`there are more than ${serversMax} servers`)
    else {
      const server = describeServer(name, label, entry)
      if (typeof server === 'string') refuse(server)
      else {
        servers.push(server)
        taken.add(label)
      }
    }
  }
  return { servers, refused }
}

function* namedEntries(servers: unknown): Iterable<[string, unknown]> {
  if (Array.isArray(servers)) {
    for (const [at, entry] of servers.entries()) {
      const name: unknown = isRecord(entry) ? entry['name'] : undefined
      yield [typeof name === 'string' ? name : `#${at + 1}`, typeof name === 'string' ? entry : undefined]
    }
  } else if (isRecord(servers)) {
    const inner = servers['mcpServers']
    // A server may itself be called mcpServers; then it says how it is reached.
    const isWrapped = isRecord(inner) && typeof inner['command'] !== 'string' && typeof inner['url'] !== 'string'
    yield* isWrapped ? namedEntries(inner) : Object.entries(servers)
  }
}

/** @returns what is wrong, in words that hold none of the values */
function describeServer(name: string, label: string, entry: unknown): ServerDescription | string {
  if (!isRecord(entry)) return 'it must be an object, in a list with a name'
  const hasCommand = entry['command'] !== undefined
  if (hasCommand === (entry['url'] !== undefined)) return 'it must have either a command or a url'
  if (hasCommand) {
    const parsed = StdioServer.safeParse(entry)
    return parsed.success ? { ...parsed.data, kind: 'stdio', name, label } : problems(parsed.error)
  }
  const parsed = HttpServer.safeParse(entry)
  return parsed.success ? { ...parsed.data, kind: 'http', name, label } : problems(parsed.error)
}

/** The first key of each path only: deeper ones are names that the operator chose. */
function problems(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`).join('; ')
}

/** A field that other clients of the same convention know. */
function isSwitchedOff(entry: unknown): boolean {
  return isRecord(entry) && entry['disabled'] === true
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
