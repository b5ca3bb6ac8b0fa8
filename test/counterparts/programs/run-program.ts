/** A program of `programs.ts`, run to its end in a folder of its own, and what of that can be compared with another run. */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RecordedRequest } from '../../support/model-endpoint.ts'
import type { Program, Way } from './programs.ts'

export interface Ran {
  code: unknown
  /** Of a failure with what stands in its stderr. */
  output: string
}

/** A port that nobody listens at: the program reaches nothing but the endpoint that it is told. */
const nowhere = 'http://127.0.0.1:9'
const closed = {
  ...{ HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere, ALL_PROXY: nowhere, NO_PROXY: '127.0.0.1' },
  ...{ https_proxy: nowhere, http_proxy: nowhere, all_proxy: nowhere, no_proxy: '127.0.0.1' },
  npm_config_registry: nowhere,
  // For fetch of Node itself, by which Continue sends the id of the machine at each start, whatever its settings.
  ...{ NODE_USE_ENV_PROXY: '1', NODE_NO_WARNINGS: '1' },
}

/** Everything below `home` is new: nothing of an earlier run is remembered. */
export async function runProgram(program: Program, way: Way, home: string): Promise<Ran> {
  const { command, args, env, files } = program.start(way, 'Do it.', home)
  await rm(home, { recursive: true, force: true })
  for (const [path, content] of Object.entries({ ...files, 'work/note.txt': 'made by hand\n' })) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), content)
  }
  const options = {
    cwd: join(home, 'work'),
    ...{ timeout: 90_000, killSignal: 'SIGKILL' as const, maxBuffer: 16 * 1024 * 1024 },
    env: { PATH: process.env['PATH'], HOME: home, ...closed, ...env },
  }
  return await new Promise((resolve) => {
    const child = execFile(command, args, options, (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output: error ? output + errors : output }),
    )
    child.stdin?.end()
  })
}

/** Without what is another in each run: ids, times, ports, and headers of an answer. */
export function comparable({ code, output }: Ran): { code: unknown; said: unknown[] } {
  return { code, said: output.split('\n').map(lineOf) }
}

function lineOf(line: string): unknown {
  try {
    return JSON.parse(line, (name, value) => {
      if (own.test(name) || ofTheMoment.has(name)) return undefined
      // The message so far, of which the parts are compared, and the whole at its end.
      if (value?.type === 'message_update') return { ...value, message: undefined }
      return typeof value === 'string' ? alike(value) : value
    })
  } catch {
    return alike(line)
  }
}

const own = /(^|_)(uu)?id$|I[dD]$|[dD]uration|[lL]atency|Ms$|_ms$/
const ofTheMoment = new Set([
  ...['time', 'timestamp', 'responseHeaders', 'textSignature'],
  // How far a stream had come when this was printed, and which answers took time.
  ...['partial', 'generation'],
])

function alike(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4}|[A-Z]\w+day, \w+ \d+, \d{4}/g, 'day')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'endpoint')
    .replaceAll(/req_\w+/g, 'request')
    .replaceAll(/Chunk ID: \w+\nWall time: [\d.]+/g, 'chunk')
}

// biome-ignore lint/suspicious/noExplicitAny: requests of others, in two styles
type Json = any

/** What a model is told by a request, whether it came as chat or as a response. */
export function heard({ body }: RecordedRequest) {
  const { messages, input, instructions, tools = [], model, stream } = body as Json
  const system = instructions === undefined ? [] : [{ role: 'system', content: instructions }]
  const told = messages ?? [...system, ...input]
  return {
    ...{ model, stream },
    limit: body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens,
    told: told.flatMap(itemsOf),
    tools: tools.flatMap(toolsOf),
  }
}

function itemsOf({ type, role, content, tool_calls = [], tool_call_id, ...item }: Json): object[] {
  if (type === 'function_call') return [{ call: item.call_id, name: item.name, arguments: item.arguments }]
  if (type === 'function_call_output') return [{ result: item.call_id, text: textOf(item.output) }]
  if (role === 'tool') return [{ result: tool_call_id, text: textOf(content) }]
  const calls = tool_calls.map((call: Json) => ({ call: call.id, ...call.function }))
  const text = textOf(content)
  return text === '' ? calls : [{ role, text }, ...calls]
}

function textOf(content: Json): string {
  if (!Array.isArray(content)) return alike(content ?? '')
  return content.map((part: Json) => alike(part.text)).join('')
}

/** A namespace is a prefix of its tools. */
function toolsOf(tool: Json): object[] {
  if (tool.type === 'namespace')
    return tool.tools.flatMap(toolsOf).map((one: Json) => ({ ...one, name: `${tool.name}__${one.name}` }))
  const { name, parameters } = tool.function ?? tool
  return [{ name, parameters }]
}
