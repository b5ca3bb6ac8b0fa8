/** The OpenAPI 3.1 document, made of the route table, so it lists exactly what is served. */
import { z } from 'zod'
import type { AnswerSchema, Route } from '../route.ts'

type Json = Record<string, unknown>

/** @returns a plain object, ready for JSON */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:([A-Za-z_]+)\*?/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Platform Service',
      version,
      description: 'Control surface of one self-hosted instance. Every answer outside 2xx carries the error envelope.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, sk-…, as Authorization: Bearer <key>.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'service-session-…',
          description:
            'The session of POST /v1/admin/auth/login, whose role has the permission. Writes carry X-CSRF-Token too, and come from the UI’s origin.',
        },
        ticket: { type: 'apiKey', in: 'query', name: 'ticket', description: 'A ticket of POST /v1/web/tickets.' },
        inboundSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Inbound-Secret',
          description: 'The value of SERVICE_INBOUND_SECRET; not needed where that is blank.',
        },
      },
      schemas: { ErrorEnvelope: errorSchema },
      responses: Object.fromEntries(
        Object.entries(failures).map(([name, failure]) => [name, failureResponse(failure)]),
      ),
    },
  }
}

const errorSchema: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'code'],
      properties: {
        message: { type: 'string', description: 'For people.' },
        type: { type: 'string', description: 'The category, such as invalid_request_error or rate_limit_error.' },
        param: { type: ['string', 'null'], description: 'The field of the request that is wrong.' },
        code: { type: ['string', 'null'], description: 'For programs, such as unauthorized or bad_request.' },
      },
    },
  },
}

const failures = {
  BadRequest: { status: 400, description: 'The request is malformed or a field is invalid.' },
  Unauthorized: { status: 401, description: 'The credential is missing or invalid.' },
  Forbidden: { status: 403, description: 'The credential lacks the scope.' },
  TooLarge: { status: 413, description: 'The body is larger than this endpoint takes.' },
  UnsupportedMediaType: { status: 415, description: 'The body is not JSON in UTF-8.' },
  RateLimited: { status: 429, description: 'Too many requests; Retry-After says when to come back.' },
  Failed: { status: 500, description: 'A defect of the service; the code begins with SVC-.' },
  Unavailable: { status: 503, description: 'Overloaded, stopping, or without its database.' },
  TimedOut: { status: 504, description: 'Not done within the deadline.' },
} as const

function failureResponse(failure: { description: string }): Json {
  return {
    description: failure.description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
  }
}

function failuresOf(route: Route): (keyof typeof failures)[] {
  const names: (keyof typeof failures)[] = ['Failed', 'Unavailable', 'TimedOut']
  if (route.body ?? route.query ?? route.params) names.push('BadRequest')
  if (route.body) names.push('TooLarge', 'UnsupportedMediaType')
  if (route.access.kind !== 'open') names.push('Unauthorized', 'Forbidden', 'RateLimited')
  return names
}

function operation(route: Route): Json {
  const responses: Record<string, Json> = {}
  for (const name of failuresOf(route)) responses[failures[name].status] = { $ref: `#/components/responses/${name}` }
  for (const [status, answer] of Object.entries(route.answers)) responses[status] = response(answer)
  const parameters = parametersOf(route)
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: [route.tag],
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: { required: true, content: bodyContent(route, route.bodyInOpenApi ?? route.body) },
    }),
    responses,
  }
}

function securityOf({ access }: Route): Json[] {
  // The listener of webhooks is not in the document.
  if (access.kind === 'open' || access.kind === 'webhook') return []
  if (access.kind === 'inbound') return [{ inboundSecret: [] }]
  const session = { session: [access.permission] }
  if (access.kind === 'own') return [session]
  const credentials = [{ apiKey: [access.scope] }, session]
  if (access.kind === 'key' || access.kind === 'admin') return credentials
  return [...credentials, { ticket: [] }, ...(access.kind === 'signed' ? [{}] : [])]
}

function bodyContent(route: Route, body: z.ZodType): Json {
  const schema = jsonSchema(body, 'input')
  if (route.bodyKind === 'form') return { 'application/x-www-form-urlencoded': { schema } }
  if (route.bodyKind === 'raw' || route.bodyKind === 'stream') {
    const bytes = { schema: { type: 'string', format: 'binary' } }
    return Object.fromEntries((route.bodyTypes ?? ['application/octet-stream']).map((type) => [type, bytes]))
  }
  return {
    'application/json': { schema },
    ...(route.takesLines && {
      'application/x-ndjson': { schema: { type: 'string', description: 'One JSON value a line.' } },
    }),
  }
}

/** `POST /v1/admin/apikeys` is `postV1AdminApikeys`. */
function operationId(route: Route): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return route.method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function response(answer: AnswerSchema): Json {
  if (answer instanceof z.ZodType) {
    const description = answer.description ?? 'Done.'
    return { description, content: { 'application/json': { schema: jsonSchema(answer, 'output') } } }
  }
  const { description, contentType } = answer
  return contentType === undefined ? { description } : { description, content: { [contentType]: {} } }
}

function parametersOf(route: Route): Json[] {
  return [
    ...fields(route.params, 'path'),
    ...fields(route.query, 'query'),
    ...(route.headers ?? []).map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } })),
  ]
}

function fields(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return []
  // The input of a field is always text, so its type is that of the output; whether it is required is that of the input.
  const { properties } = jsonSchema(schema, 'output') as { properties?: Record<string, Json> }
  const { required } = jsonSchema(schema, 'input') as { required?: string[] }
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: property,
  }))
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}
