/** `npm run build:api-types`: writes the admin UI's API types from the route table, so that they are never written twice. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '../http/openapi/document.ts'
import { served } from '../http/routes.ts'

type Schema = Record<string, unknown>

export const apiTypesFile = fileURLToPath(new URL('../web/api/operations.ts', import.meta.url))

interface Operation {
  summary: string
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

export function apiTypes(): string {
  const { paths } = openApiDocument(served, '0') as { paths: Record<string, Record<string, Operation>> }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `  ${operationType(`${method.toUpperCase()} ${path}`, operation)}`,
    ),
  )
  const head =
    '/** What each route of the API takes and answers. Written by `npm run build:api-types` from the route table. */'
  return `${head}\n\nexport interface Operations {\n${operations.join('\n')}\n}\n`
}

function operationType(name: string, operation: Operation): string {
  const body = operation.requestBody?.content['application/json']?.schema
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content
  const answerSchema = answer?.['application/json']?.schema
  const fields = [
    `params: ${parameters(operation, 'path')}`,
    `query: ${parameters(operation, 'query')}`,
    `body: ${body ? typeOf(body, '    ') : 'undefined'}`,
    `answer: ${answerSchema ? typeOf(answerSchema, '    ') : 'undefined'}`,
  ]
  return `/** ${operation.summary} */\n  '${name}': {\n${fields.map((field) => `    ${field}\n`).join('')}  }`
}

function parameters({ parameters: all = [] }: Operation, place: string): string {
  const own = all.filter((parameter) => parameter.in === place)
  if (own.length === 0) return 'undefined'
  return `{ ${own.map(({ name, required, schema }) => `${nameOf(name)}${required ? '' : '?'}: ${typeOf(schema, '')}`).join('; ')} }`
}

/** JSON Schema, as far as zod writes it, in TypeScript. */
function typeOf(schema: Schema, indent: string): string {
  if ('const' in schema) return JSON.stringify(schema['const'])
  const options = schema['enum'] as unknown[] | undefined
  if (options) return options.map((option) => JSON.stringify(option)).join(' | ')
  const variants = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (variants) return [...new Set(variants.map((variant) => typeOf(variant, indent)))].join(' | ')
  const all = schema['allOf'] as Schema[] | undefined
  if (all) return all.map((part) => typeOf(part, indent)).join(' & ')
  const { type } = schema
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ')
  switch (type) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return arrayType(schema, indent)
    case 'object':
      return objectType(schema, indent)
    default:
      return 'unknown'
  }
}

function arrayType(schema: Schema, indent: string): string {
  const item = typeOf((schema['items'] ?? {}) as Schema, indent)
  return /^[\w']+$/.test(item) ? `${item}[]` : `(${item})[]`
}

function objectType(schema: Schema, indent: string): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const required = new Set((schema['required'] ?? []) as string[])
  const more = schema['additionalProperties']
  if (properties.length === 0)
    return more && more !== true ? `Record<string, ${typeOf(more as Schema, indent)}>` : 'Record<string, unknown>'
  const inner = `${indent}  `
  const fields = properties.map(
    ([name, property]) => `${inner}${nameOf(name)}${required.has(name) ? '' : '?'}: ${typeOf(property, inner)}\n`,
  )
  return `{\n${fields.join('')}${indent}}`
}

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(apiTypesFile, apiTypes())
