import { expect, test } from 'vitest'
import { ResponseParser } from '../../bench/load/response-parser.ts'
import { TokenCounter } from '../../bench/load/token-counter.ts'

const fixed = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'
const chunked = 'HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n'
const empty = 'HTTP/1.1 204 Nothing\r\ncontent-length: 0\r\n\r\n'

test('answers are read however their bytes are cut', () => {
  const bytes = Buffer.from(fixed + chunked + empty + fixed)
  for (let size = 1; size <= bytes.length; size++) {
    const read: [number, string][] = []
    let status = 0
    let body = ''
    const parser = new ResponseParser({
      head(found) {
        status = found
        body = ''
      },
      body(part) {
        body += part.toString()
      },
      end: () => void read.push([status, body]),
    })
    for (let at = 0; at < bytes.length; at += size) parser.feed(bytes.subarray(at, at + size))
    expect(read).toEqual([
      [200, 'hello'],
      [503, 'hello!'],
      [204, ''],
      [200, 'hello'],
    ])
    expect(parser.isBetweenAnswers).toBe(true)
  }
})

test('what is no answer is an error, not a figure', () => {
  const parser = new ResponseParser({ head() {}, body() {}, end() {} })
  expect(() => parser.feed(Buffer.from('SSH-2.0-x\r\n\r\n'))).toThrow('no answer')
})

test('tokens and their times are found across cuts', () => {
  const bytes = Buffer.from('x ~12~ y ~345~{"~0~"}')
  for (let size = 1; size <= bytes.length; size++) {
    const times: number[] = []
    const counter = new TokenCounter((sentUs) => times.push(sentUs))
    for (let at = 0; at < bytes.length; at += size) counter.bytes(bytes.subarray(at, at + size))
    expect([counter.count, times]).toEqual([3, [12, 345]])
  }
})
