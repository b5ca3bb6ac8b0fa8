/** What bytes are and say: by a mark, by the header, by the page, by what they look like. */
import { describe, expect, it } from 'vitest'
import { decodeText, kindByBytes, kindByHeader } from '../../../tools/net/content-type.ts'

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding)

describe('the kind', () => {
  it.each([
    ['text/html; charset=utf-8', 'html'],
    ['application/xhtml+xml', 'html'],
    ['TEXT/Plain', 'text'],
    ['application/json', 'text'],
    ['application/problem+json;x=y', 'text'],
    ['image/svg+xml', 'text'],
    ['application/pdf', 'other'],
    ['image/png', 'other'],
    ['', undefined],
  ])('by the header %j is %s', (header, kind) => expect(kindByHeader(header)).toBe(kind))

  it('by the bytes is that of what they look like', () => {
    expect(kindByBytes(bytes('\n <!DOCTYPE HTML><p>x'))).toBe('html')
    expect(kindByBytes(bytes('a < b'))).toBe('text')
    expect(kindByBytes(bytes('a\0b'))).toBe('other')
    expect(kindByBytes(bytes('\ufeffab', 'utf16le'))).toBe('text')
  })
})

describe('a text', () => {
  const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])

  it('is decoded by the header, and a mark before that', () => {
    expect(decodeText(cyrillic, 'text/plain; charset="windows-1251"', 'text')).toBe('Привет')
    expect(decodeText(bytes('\ufeffПривет'), 'text/plain; charset=windows-1251', 'text')).toBe('Привет')
    expect(decodeText(bytes('\ufeffПривет', 'utf16le'), '', 'text')).toBe('Привет')
  })

  it('of a page is decoded by its meta element, which is never UTF-16', () => {
    const meta = (name: string, rest: Buffer) => Buffer.concat([bytes(`<html><meta charset="${name}">`), rest])
    expect(decodeText(meta('koi8-r', Buffer.from([0xf0])), 'text/html', 'html')).toContain('П')
    expect(decodeText(meta('utf-16', bytes('П')), '', 'html')).toContain('П')
    const equiv = bytes('<meta http-equiv=Content-Type content="text/html; charset=windows-1251">')
    expect(decodeText(Buffer.concat([equiv, cyrillic]), '', 'html')).toContain('Привет')
    expect(decodeText(meta('koi8-r', bytes('П')), '', 'text')).toContain('П')
  })

  it('without any word on it is UTF-8, or windows-1252 where it is not', () => {
    expect(decodeText(bytes('naïve'), '', 'text')).toBe('naïve')
    expect(decodeText(bytes('naïve', 'latin1'), 'text/plain; charset=nonsense', 'text')).toBe('naïve')
  })

  it('that was cut inside a character stays UTF-8', () => {
    for (const back of [1, 2, 3]) expect(decodeText(bytes('ПП😀').subarray(0, -back), '', 'text')).toBe('ПП')
    expect(decodeText(bytes('ПП').subarray(0, -1), '', 'text')).toBe('П')
  })
})
