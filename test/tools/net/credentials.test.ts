/** The operator's credentials: to their own host only, never in clear text over the internet, never in a result. */
import { describe, expect, it } from 'vitest'
import { credentials } from '../../../tools/net/credentials.ts'

const set = credentials({
  'api.example.com': 'Bearer first-token',
  'api.example.com:8443': { 'X-Api-Key': 'second-key', authorization: 'Basic dXNlcjpwYXNzd29yZA==' },
  '10.0.0.7': 'Bearer third-token',
})
const of = (url: string, isInternal = false) => set.headersFor(new URL(url), isInternal)

describe('credentials', () => {
  it('are those of exactly the host, a named port before any', () => {
    expect(of('https://api.example.com/')).toEqual({ authorization: 'Bearer first-token' })
    expect(of('https://API.example.com:9/')).toEqual({ authorization: 'Bearer first-token' })
    expect(of('https://api.example.com:8443/')).toHaveProperty('x-api-key', 'second-key')
    for (const url of ['https://example.com/', 'https://a.api.example.com/', 'https://api.example.com.example.net/'])
      expect(of(url)).toEqual({})
  })

  it('go over plain http inside only', () => {
    expect(of('http://10.0.0.7/', true)).toEqual({ authorization: 'Bearer third-token' })
    expect(() => of('http://api.example.com/')).toThrow(/https only/)
    expect(of('http://example.com/')).toEqual({})
  })

  it('are taken out of a text in each of their forms', () => {
    const echoed = 'Bearer first-token, first-token, second-key, dXNlcjpwYXNzd29yZA==, user:password, password'
    expect(set.redact(echoed)).toBe('[redacted], [redacted], [redacted], [redacted], [redacted], [redacted]')
    const quoted = credentials({ 'example.com': 'Token a"b\\c-long' })
    expect(quoted.redact(JSON.stringify({ got: 'Token a"b\\c-long' }))).toBe('{"got":"[redacted]"}')
  })

  it('that cannot be sent are named by their host alone', () => {
    const bad = credentials({
      'a.example.com': 'x\r\ny: z',
      'no host': 'x',
      'b.example.com': { 'bad name': 'x' },
      c: {},
    })
    expect(bad.unreadable).toEqual(['a.example.com', 'no host', 'b.example.com'])
    expect(bad.headersFor(new URL('https://a.example.com/'), false)).toEqual({})
  })
})
