/** The OpenAPI page: every route is in it, and what is in it holds together. */
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../http/openapi/document.ts'
import { served } from '../../http/routes.ts'

interface Operation {
  operationId: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; schema: unknown }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema?: object }> }>
}
const document = JSON.parse(JSON.stringify(openApiDocument(served, '1.2.3'))) as {
  openapi: string
  info: { version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Everything a `$ref` anywhere points to. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
}

describe('the document', () => {
  it('is OpenAPI 3.1 of this version', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.2.3')
  })

  it('holds every route of the table, and no other', () => {
    const told = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()
    const paths = served.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)\*?/g, '{$1}')}`).sort()
    expect(told).toEqual(paths)
  })

  it('refers to nothing that is not in it', () => {
    const all = references(document)
    expect(all.length).toBeGreaterThan(0)
    for (const reference of all) expect(resolve(reference), reference).toBeTypeOf('object')
  })

  it('names each operation once, and its tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Set(document.tags.map((tag) => tag.name))
    for (const { operation } of operations) for (const tag of operation.tags) expect(tags).toContain(tag)
  })
})

/** 101: the answer is a WebSocket. 304: the client has the answer. */
const isGood = (status: string) => status.startsWith('2') || status === '101' || status === '304'

/** What is one's own, no key has; a web chat's ticket stands in for either. */
function waysInto(path: string): string[] {
  if (path.startsWith('/v1/inbound')) return ['inboundSecret']
  if (/^\/v1\/admin\/(auth\/|own-keys|workspaces$)/.test(path)) return ['session']
  return ['apiKey', 'session', ...(/^\/v1\/(web\/(stream|ws)$|media|files)/.test(path) ? ['ticket'] : [])]
}

describe('each operation', () => {
  for (const { path, method, operation } of operations) {
    it(`${method.toUpperCase()} ${path}: has a good answer, failures with the envelope, and its parameters`, () => {
      const statuses = Object.keys(operation.responses)
      expect(statuses.some(isGood)).toBe(true)
      expect(statuses).toContain('500')
      for (const [status, response] of Object.entries(operation.responses)) {
        const whole = response.$ref ? (resolve(response.$ref) as typeof response) : response
        expect(whole.description).toBeTruthy()
        if (!isGood(status)) {
          expect(whole.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ErrorEnvelope' })
        }
      }
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const named = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(named.sort()).toEqual(inPath.sort())
      for (const parameter of operation.parameters ?? []) expect(parameter.schema).toBeTypeOf('object')
      if (operation.security.length > 0) {
        expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429']))
        expect(operation.security.flatMap((way) => Object.keys(way))).toEqual(waysInto(path))
      }
    })
  }

  it('says which scope of a key it takes, and which permission of a session', () => {
    expect(document.paths['/v1/admin/apikeys']?.['post']?.security).toEqual([
      { apiKey: ['admin:write'] },
      { session: ['keys.write'] },
    ])
    expect(document.paths['/v1/ping']?.['get']?.security).toEqual([])
  })

  it('tells the type that a query field is turned into, and that it may be left out', () => {
    const { parameters } = document.paths['/v1/admin/apikeys']?.['get'] ?? {}
    expect(parameters?.find(({ name }) => name === 'limit')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 200 },
    })
  })
})
