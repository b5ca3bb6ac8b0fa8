/** What hostile servers send: each is cut at a bound, in time and in bytes, and the event loop goes on meanwhile. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../../runtime/time/clock.ts'
import { watchLoop } from '../../support/loop-gap.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { codeOf, failureOf, get, type Outside, outside, rawOutside, toOutside } from './support/outside.ts'

let servers: Outside[] = []
afterEach(async () => {
  for (const server of servers) await server.close()
  servers = []
})

async function held(opening: Promise<Outside>): Promise<string> {
  const server = await opening
  servers.push(server)
  return `http://public.example.com:${server.port}/`
}

const answering = (bytes: Uint8Array, encoding: string) =>
  held(outside((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bytes)))

/** Writes again and again for as long as it is read, a piece at a time: the loop is measured while it does. */
function endless(begin: string, piece: string): Promise<string> {
  return held(
    rawOutside((socket) => {
      const more = () => {
        if (!socket.destroyed) socket.write(piece, () => setImmediate(more))
      }
      socket.once('data', () => {
        socket.write(begin)
        more()
      })
    }),
  )
}

const ok = 'HTTP/1.1 200 OK\r\n'
const text = 'words and words. '.repeat(2_000)

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['identity', Buffer.from(text)],
    ['deflate, gzip', gzipSync(deflateSync(text))],
  ])('of %s is unfolded', async (encoding, bytes) => {
    const answer = await get(toOutside(), await answering(bytes, encoding))
    expect(Buffer.from(answer.bytes).toString()).toBe(text)
    expect(answer.isTruncated).toBe(false)
  })

  it('that was cut in mid-stream gives what came', async () => {
    const answer = await get(toOutside(), await answering(gzipSync(text).subarray(0, 60), 'gzip'))
    expect(text.startsWith(Buffer.from(answer.bytes).toString())).toBe(true)
  })

  it('that is none is refused, and so is one that nobody can read', async () => {
    expect(await codeOf(get(toOutside(), await answering(Buffer.from('plain'), 'gzip')))).toBe('body_undecodable')
    expect(await codeOf(get(toOutside(), await answering(Buffer.alloc(99, 0xff), 'br')))).toBe('body_undecodable')
    expect(await codeOf(get(toOutside(), await answering(Buffer.from('plain'), 'zstd')))).toBe('body_undecodable')
    expect(await codeOf(get(toOutside(), await answering(Buffer.from('plain'), 'compress')))).toBe('encoding_refused')
    expect(await codeOf(get(toOutside(), await answering(gzipSync(text), 'gzip, gzip, gzip')))).toBe('encoding_refused')
  })

  it('of none at all is empty, also where it is said to be packed', async () => {
    const url = await answering(new Uint8Array(), 'gzip')
    expect((await get(toOutside(), url)).bytes).toHaveLength(0)
    expect((await get(toOutside(), url, { method: 'HEAD' })).bytes).toHaveLength(0)
  })
})

describe('a body past its bound', () => {
  const bodyBytesMax = 1_048_576
  const requester = toOutside({ limits: { bodyBytesMax } })

  it('of exactly the bound is whole, and of a byte more is cut', async () => {
    const whole = await get(requester, await answering(Buffer.alloc(bodyBytesMax, 'x'), ''))
    expect([whole.bytes.length, whole.isTruncated]).toEqual([bodyBytesMax, false])
    const cut = await get(requester, await answering(Buffer.alloc(bodyBytesMax + 1, 'x'), ''))
    expect([cut.bytes.length, cut.isTruncated]).toEqual([bodyBytesMax, true])
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(100 * 1_048_576))],
    ['br', brotliCompressSync(Buffer.alloc(100 * 1_048_576), { params: { 1: 1 } })],
    ['zstd', zstdCompressSync(Buffer.alloc(100 * 1_048_576))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(100 * 1_048_576)))],
  ])('that only %s unfolds to is cut, in little memory and time', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(bodyBytesMax)
    const url = await answering(bomb, encoding)
    const before = process.memoryUsage()
    const answer = await get(requester, url)
    const after = process.memoryUsage()
    expect([answer.bytes.length, answer.isTruncated]).toEqual([bodyBytesMax, true])
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(40 * 1_048_576)
  })

  it('without end is cut', async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    const plain = await get(requester, await endless(`${ok}transfer-encoding: chunked\r\n\r\n`, chunk))
    expect([plain.bytes.length, plain.isTruncated]).toEqual([bodyBytesMax, true])
  })

  it('that unfolds to nothing for ever is cut by what it takes packed', async () => {
    const empty = gzipSync('')
    const many = Buffer.concat(Array.from({ length: 100_000 }, () => empty))
    const answer = await get(requester, await answering(many, 'gzip'))
    expect([answer.bytes.length, answer.isTruncated]).toEqual([0, true])
  })
})

describe('headers', () => {
  it('without end are given up', async () => {
    const one = await endless(`${ok}x: `, 'y'.repeat(4_096))
    expect(await codeOf(get(toOutside(), one))).toBe('headers_too_large')
    const many = await endless(ok, 'x-one-more: y\r\n'.repeat(100))
    expect(await codeOf(get(toOutside(), many))).toBe('headers_too_large')
  })

  it('that are not HTTP are said to be none', async () => {
    expect(await codeOf(get(toOutside(), await endless('SSH-2.0-x\r\n', 'x\r\n'.repeat(1_000))))).toBe('bad_response')
  })
})

describe('time', () => {
  const clock = virtualClock()
  const requester = toOutside({ clock })
  const silent = () => held(rawOutside((socket) => socket.resume()))

  /** Time passes only when the server has been reached. */
  async function afterReaching(url: string, reached: () => Promise<void>, passMs: number) {
    const failure = failureOf(get(requester, url))
    await reached()
    await clock.advance(passMs)
    return failure
  }

  it('of a name that is never found has a bound', async () => {
    const never = toOutside({ clock, resolve: () => new Promise(() => undefined) })
    const failure = failureOf(get(never, 'http://public.example.com/'))
    await clock.advance(10_000)
    expect(await failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('within 10 s') })
  })

  it('without an answer has a bound', async () => {
    const reached = Promise.withResolvers<void>()
    const url = await held(rawOutside((socket) => socket.once('data', () => reached.resolve())))
    const failure = await afterReaching(url, () => reached.promise, 20_000)
    expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('no answer within 20 s') })
  })

  it('of silence in a body has a bound', async () => {
    const url = await held(outside((_request, response) => response.writeHead(200, { 'x-a': 'b' }).write('begin')))
    const read = Promise.withResolvers<void>()
    const failure = failureOf(get(requester, url, { onHead: () => read.resolve() }))
    await read.promise
    await clock.advance(15_000)
    expect(await failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('within 15 s') })
  })

  it('in all has a bound, however steadily a byte comes', async () => {
    const pieces: (() => void)[] = []
    const url = await held(
      outside((_request, response) => {
        response.writeHead(200).write('x')
        pieces.push(() => response.write('x'))
      }),
    )
    const startedMs = clock.elapsed()
    let isOver = false
    let armed = 0
    const counting: Clock = {
      ...clock,
      after(delayMs, fire) {
        armed++
        return clock.after(delayMs, fire)
      },
    }
    const failure = failureOf(get(toOutside({ clock: counting }), url)).finally(() => {
      isOver = true
    })
    /** In all, to connect, for headers, for the body; from then on one for each byte that has come. */
    const hasCome = async (bytes: number) => {
      while (armed < 4 + bytes) await new Promise((resolve) => setImmediate(resolve))
    }
    for (let bytes = 1; !isOver; bytes++) {
      await hasCome(bytes)
      await clock.advance(5_000)
      pieces[0]?.()
    }
    expect(clock.elapsed() - startedMs).toBe(45_000)
    expect(await failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('within 45 s') })
  })

  it('ends with the caller’s signal, for the caller’s reason', async () => {
    const caller = new AbortController()
    const url = await silent()
    const failed = get(requester, url, { signal: caller.signal }).catch((error: unknown) => error)
    const reason = new Error('the turn was cancelled')
    caller.abort(reason)
    expect(await failed).toBe(reason)
    await expect(get(requester, url, { signal: caller.signal })).rejects.toBe(reason)
  })

  it('leaves no timer behind', () => expect(clock.timersWaiting).toBe(0))
})

describe('requests at once', () => {
  it('are refused past their bound', async () => {
    const waiting: (() => void)[] = []
    const url = await held(outside((_request, response) => waiting.push(() => response.end('late'))))
    const requester = toOutside({ limits: { requestsMax: 1 } })
    const first = get(requester, url)
    expect(await codeOf(get(requester, url))).toBe('busy')
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    waiting[0]?.()
    expect((await first).status).toBe(200)
    waiting.length = 0
    const again = get(requester, url)
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    waiting[0]?.()
    expect((await again).status).toBe(200)
  })
})

describe('the event loop', () => {
  it('goes on while bombs unfold and bodies never end', async () => {
    const bomb = await answering(gzipSync(Buffer.alloc(100 * 1_048_576)), 'gzip')
    const flood = await endless(`${ok}transfer-encoding: chunked\r\n\r\n`, `8000\r\n${'x'.repeat(0x8000)}\r\n`)
    const headers = await endless(ok, 'x-one-more: y\r\n'.repeat(100))
    const requester = toOutside()
    const loop = watchLoop()
    const ends = await Promise.allSettled([bomb, bomb, flood, flood, headers].map((url) => get(requester, url)))
    expect(ends.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected'])
    loop.expectFree()
  })
})
