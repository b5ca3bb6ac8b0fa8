/** Router, traceparent, listen address, query, credential: each a small grammar of its own. */
import { describe, expect, it } from 'vitest'
import { open } from '../../../http/access.ts'
import { bearerOf } from '../../../http/edge/credential.ts'
import { parseQuery } from '../../../http/edge/query.ts'
import { parseTraceparent } from '../../../http/edge/traceparent.ts'
import { type Method, route } from '../../../http/route.ts'
import { router } from '../../../http/router.ts'
import { parseListenAddress } from '../../../http/server/listen-address.ts'

const at = (method: Method, path: string) =>
  route({ method, path, tag: 'test', summary: '', access: open, answers: {}, handle: () => ({}) })

describe('the router', () => {
  const { find } = router([
    at('GET', '/'),
    at('GET', '/a'),
    at('GET', '/a/:id'),
    at('PUT', '/a/:id/content'),
    at('GET', '/a/fixed'),
  ])

  it('prefers a literal path to a parameter', () => {
    expect(find('/a/fixed')?.params).toBeUndefined()
    expect(find('/a/other')?.params).toEqual({ id: 'other' })
    expect(find('/a/x/content')?.resource.allow).toBe('PUT, OPTIONS')
  })
  it('finds nothing for what is not there', () => {
    for (const path of ['', '/b', '/a/', '/a//content', '/a/x/y', '/a/x/content/', `/${'x/'.repeat(10_000)}`]) {
      expect(find(path)).toBeUndefined()
    }
  })
  it('is not fooled by the names of objects', () => {
    for (const path of ['/__proto__', '/constructor', '/a/__proto__/content']) expect(() => find(path)).not.toThrow()
    expect(find('/__proto__')).toBeUndefined()
  })
  it('refuses a table that contradicts itself', () => {
    expect(() => router([at('GET', '/a'), at('GET', '/a')])).toThrowError(/twice/)
    expect(() => router([at('GET', '/a/:id'), at('GET', '/a/:name/x')])).toThrowError(/:id/)
  })
})

describe('traceparent', () => {
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  it('is read', () => {
    expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span, flags: 1 })
    expect(parseTraceparent(`cc-${trace}-${span}-00-what-comes-later`)).toEqual({
      traceId: trace,
      spanId: span,
      flags: 0,
    })
  })
  it('malformed is as good as absent', () => {
    for (const header of [
      '',
      'x',
      `ff-${trace}-${span}-01`,
      `00-${'0'.repeat(32)}-${span}-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
    ]) {
      expect(parseTraceparent(header)).toBeUndefined()
    }
    expect(parseTraceparent(`00-${trace}-${span}-01-extra`)).toBeUndefined()
    expect(parseTraceparent(`00-${trace.toUpperCase()}-${span}-01`)).toBeUndefined()
  })
})

describe('the address to listen on', () => {
  it('has these forms', () => {
    expect(parseListenAddress(':8780')).toEqual({ host: '', port: 8780 })
    expect(parseListenAddress('8780')).toEqual({ host: '', port: 8780 })
    expect(parseListenAddress('127.0.0.1:0')).toEqual({ host: '127.0.0.1', port: 0 })
    expect(parseListenAddress('[::1]:8780')).toEqual({ host: '::1', port: 8780 })
  })
  it('and no others', () => {
    for (const text of ['', 'localhost', ':99999', '::1:80', 'a:b', ':-1']) {
      expect(() => parseListenAddress(text)).toThrowError(/host:port/)
    }
  })
})

describe('the query string', () => {
  it('keeps the names of objects as plain names', () => {
    const query = parseQuery('__proto__=1&constructor=2')
    expect(Object.entries(query)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })
  it('is bounded', () => {
    expect(() => parseQuery(Array.from({ length: 65 }, (_, index) => `p${index}=1`).join('&'))).toThrowError(/64/)
  })
})

describe('the bearer credential', () => {
  it('is one word of visible characters', () => {
    expect(bearerOf('Bearer sk-abc')).toBe('sk-abc')
    expect(bearerOf('bearer   sk-abc ')).toBe('sk-abc')
    for (const header of [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Bearer a b',
      `Bearer ${'x'.repeat(513)}`,
      'Bearer ключ',
    ]) {
      expect(bearerOf(header)).toBeUndefined()
    }
  })
})
