/** Requests to every route about things of one workspace, made from the OpenAPI document, and what of an answer may not differ. */
import { randomUUID } from 'node:crypto'

/** Of the same form, and nobody's. */
export function absentOf(id: string): string {
  const [prefix, rest = ''] = id.split('_')
  if (rest === '') return 'nowhere'
  return `${prefix}_${rest.slice(0, 12)}${randomUUID()
    .replaceAll('-', '')
    .slice(0, rest.length - 12)}`
}

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  pattern?: string
  minimum?: number
}

/** Fields that say what a request is about. */
const isId = (name: string) => /(^|_)ids?$|^(channel|name|key|agent|value|subject|conversation)$/.test(name)

/** An id of `of` where the schema tells which, else `main`. */
function idFor(schema: Schema | undefined, of: Record<string, string>, main: string): string {
  const { pattern } = schema ?? {}
  if (!pattern?.includes('_')) return main
  return Object.values(of).find((id) => new RegExp(pattern).test(id)) ?? main
}

/** Of the schema's shape: what it requires, and all ids. */
function fitting(schema: Schema, name: string, make: (schema: Schema) => string): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [way] = schema.anyOf ?? schema.oneOf ?? []
  if (way) return fitting(way, name, make)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([key]) => schema.required?.includes(key) || isId(key),
    )
    return Object.fromEntries(fields.map(([key, field]) => [key, fitting(field, key, make)]))
  }
  if (type === 'array') return [fitting(schema.items ?? {}, name, make)]
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (type === 'boolean') return true
  return isId(name) ? make(schema) : 'text'
}

interface Parameter {
  name: string
  in: string
  schema?: Schema
}
export interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
}

/** What a stranger may send to a route, about things of `of`. */
export function* requestsTo(path: string, { parameters = [], requestBody }: Operation, of: Record<string, string>) {
  const schema = requestBody?.content['application/json']?.schema
  for (const main of Object.values(of)) {
    const inPath = path.replaceAll(/\{(\w+)\*?\}/g, (_all, name) =>
      encodeURIComponent(idFor(parameters.find((one) => one.name === name)?.schema, of, main)),
    )
    const body = schema && fitting(schema, '', (field) => idFor(field, of, main))
    yield { path: inPath, body }
    for (const one of parameters)
      if (one.in === 'query' && isId(one.name))
        yield { path: `${inPath}?${one.name}=${idFor(one.schema, of, main)}`, body }
  }
}

/** What the document does not tell, or tells too loosely. */
export function furtherRequests(of: Record<string, string>) {
  const messages = [{ role: 'user', content: 'x' }]
  const values = ['key', 'agent', 'channel', 'operator', 'workspace']
  const all: { method: string; path: string; body?: unknown; headers?: Record<string, string> }[] = [
    {
      ...{ method: 'POST', path: '/v1/chat/completions', body: { model: 'm', messages } },
      headers: { 'x-service-conversation-id': of['conversation'] ?? '' },
    },
    { method: 'POST', path: '/v1/responses', body: { model: 'm', input: 'x', previous_response_id: of['response'] } },
    {
      ...{ method: 'POST', path: '/v1/admin/conversations/organize' },
      body: { conversation_id: of['conversation'], folder: 'x' },
    },
    {
      ...{ method: 'POST', path: '/v1/admin/conversations/organize-many' },
      body: { conversation_ids: [of['conversation']], folder: 'x' },
    },
    ...values.map((group) => ({
      method: 'GET',
      path: `/v1/admin/analytics?group_by=${group}&value=${of[group]}`,
    })),
    { method: 'GET', path: `/v1/web/stream?conversation_id=${of['conversation']}` },
  ]
  return all
}

/** Without what differs from one request to the next. */
export function told({ status, text }: { status: number; text: string }, of: Record<string, string>): string {
  let plain = text.replaceAll(/req_[0-9a-z]+/g, 'req').replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, 'time')
  for (const [what, id] of Object.entries(of)) plain = plain.replaceAll(id, what)
  return `${status} ${status < 300 ? '' : plain}`
}
