/** How an operator's list of hosts is read. */
import { describe, expect, it } from 'vitest'
import { allowlist, hostOf, portOf } from '../../../runtime/network/allowlist.ts'

function match(entries: string[], url: string, coversSubdomains = false) {
  const { hostname } = new URL(url)
  expect(hostname).not.toBe('')
  return allowlist(entries, coversSubdomains).match(hostOf(new URL(url)), portOf(new URL(url)))
}

describe('an entry', () => {
  it.each([
    ['example.com', 'https://example.com/', 'exact'],
    ['example.com', 'https://example.com:8443/', 'exact'],
    ['EXAMPLE.com', 'https://example.COM/', 'exact'],
    ['пример.example', 'https://xn--e1afmkfd.example/', 'exact'],
    ['example.com', 'https://a.example.com/', 'none'],
    ['example.com', 'https://notexample.com/', 'none'],
    ['example.com:443', 'https://example.com/', 'exact'],
    ['example.com:80', 'https://example.com/', 'none'],
    ['example.com:80', 'http://example.com/', 'exact'],
    ['*.example.com', 'https://a.b.example.com/', 'wildcard'],
    ['*.example.com', 'https://example.com/', 'none'],
    ['*.example.com:8443', 'https://a.example.com/', 'none'],
    ['10.0.0.7', 'http://10.0.0.7/', 'exact'],
    ['10.0.0.7', 'http://0x0a000007/', 'exact'],
    ['[fd00::1]:80', 'http://[fd00:0::1]/', 'exact'],
    ['fd00::1', 'http://[fd00::1]:9/', 'exact'],
  ])('%s and %s: %s', (entry, url, expected) => expect(match([entry], url)).toBe(expected))

  it('of a domain covers its subdomains where that is meant, as a wildcard would', () => {
    expect(match(['example.com'], 'https://example.com/', true)).toBe('exact')
    expect(match(['example.com'], 'https://a.example.com/', true)).toBe('wildcard')
    expect(match(['example.com'], 'https://notexample.com/', true)).toBe('none')
    expect(match(['example.com', 'a.example.com'], 'https://a.example.com/', true)).toBe('exact')
    expect(match(['0.0.7'], 'http://10.0.0.7/', true)).toBe('none')
  })

  it.each([
    'https://example.com',
    'example.com/path',
    'a b',
    '*',
    '*.',
    '*.10.0.0.1',
    'a.*.com',
    'user@host',
    'host:99999',
    'a.',
  ])('that is no host matches nothing, and does not make the list an empty one: %s', (entry) => {
    const list = allowlist([entry])
    expect(list.unreadable).toEqual([entry])
    expect(list.isEmpty).toBe(false)
    expect(list.match('example.com', 443)).toBe('none')
  })
})
