/** web_fetch: pages as text to read, part by part, and pages that are made to harm. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webFetch } from '../../tools/web-fetch.ts'
import { watchLoop } from '../support/loop-gap.ts'
import { codeOf, type Outside, outside } from './net/support/outside.ts'
import { type MadeTool, made } from './net/support/tool-calls.ts'

const sentence = 'Words of an article, one after the other, as they are. '
const article = `<!doctype html><html><head><title>A title &amp; more</title><meta name="author" content="Ada"></head><body>
<nav><a href="/elsewhere">Elsewhere</a></nav><article><h2>Part one</h2><p>${sentence.repeat(20)}<a href="../next?a=1">the
<b>next</b> page</a>.</p><p style="display:none">hidden words</p><ul><li>one</li><li>two<ol><li>deep</li></ol></li></ul>
<pre><code>let a = 1
  let b</code></pre><p>${sentence.repeat(20)}</p><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>
<a href="javascript:steal()">a trap</a></article><script>script words</script></body></html>`

const pages: Record<string, { type?: string; body: string | Buffer; status?: number }> = {
  '/a/article': { type: 'text/html', body: article },
  '/short': { type: 'text/html', body: '<p>Just <span hidden>not this</span> <a href=x>a link</a>' },
  '/bare': { type: 'text/html', body: '<html><base href="https://example.com/b/"><p>Bare <a href=x>link</a>' },
  '/koi': {
    type: 'text/html; charset=koi8-r',
    body: Buffer.concat([Buffer.from('<p>'), Buffer.from([0xf0, 0xd2, 0xc9])]),
  },
  '/json': { type: 'application/json', body: '{"a":  1}' },
  '/plain': { body: 'plain words' },
  '/sniffed': { body: '<html><body>found out</body></html>' },
  '/pdf': { type: 'application/pdf', body: '%PDF' },
  '/bytes': { body: Buffer.from([1, 0, 2]) },
  '/missing': { type: 'text/html', body: 'nothing', status: 404 },
  '/empty': { type: 'text/html', body: '' },
  '/long': { type: 'text/plain', body: '😀'.repeat(10_000) },
  '/deep': { type: 'text/html', body: `${'<div>'.repeat(2_000)}the bottom` },
  '/wide': { type: 'text/html', body: '<p>word'.repeat(60_000) },
  '/tables': { type: 'text/html', body: '<table><tr><td>'.repeat(500) },
}

let server: Outside
let web: MadeTool
const fetched = (path: string, offset = 0) => web.call({ url: `http://127.0.0.1:${server.port}${path}`, offset })

beforeAll(async () => {
  server = await outside((request, response) => {
    const page = pages[request.url ?? ''] ?? { body: 'no such page', status: 404 }
    response.writeHead(page.status ?? 200, page.type ? { 'content-type': page.type } : {}).end(page.body)
  })
  web = made(webFetch, { SERVICE_WEBFETCH_ALLOWLIST: '127.0.0.1', SERVICE_AGENT_RESULT_CHARS: '5000' })
})
afterAll(async () => {
  await web.tool.close?.()
  await server.close()
})

describe('a page', () => {
  it('is told as its article, with title, author, and links in full', async () => {
    const result = await fetched('/a/article')
    expect(result).toMatch(
      /^Title: A title & more\nBy: Ada\nAddress: http:\/\/127.0.0.1:\d+\/a\/article\n\n## Part one\n\n/,
    )
    expect(result).toContain(`[the next page](http://127.0.0.1:${server.port}/next?a=1).`)
    expect(result).toContain('- one\n- two\n  1. deep\n\n```\nlet a = 1\n  let b\n```\n\n')
    expect(result).toContain('| a | b\n| c | d')
    expect(result).toContain('a trap')
    for (const absent of ['Elsewhere', 'hidden words', 'script words', 'javascript:'])
      expect(result).not.toContain(absent)
  })

  it('that is no article is told as a whole', async () => {
    expect(await fetched('/short')).toContain(`\n\nJust [a link](http://127.0.0.1:${server.port}/x)`)
    expect(await fetched('/bare')).toContain('Bare [link](https://example.com/b/x)')
    expect(await fetched('/sniffed')).toContain('\n\nfound out')
    expect(await fetched('/empty')).toContain('(the page has no text)')
  })

  it('is decoded as it says', async () => expect(await fetched('/koi')).toContain('\n\nПри'))

  it('of text or JSON is told as it is', async () => {
    expect(await fetched('/json')).toContain('\n\n{"a":  1}')
    expect(await fetched('/plain')).toContain('\n\nplain words')
  })

  it('of anything else is refused, and so is a bad status', async () => {
    expect(await codeOf(fetched('/pdf'))).toBe('content_type_refused')
    expect(await codeOf(fetched('/bytes'))).toBe('content_type_refused')
    expect(await codeOf(fetched('/missing'))).toBe('bad_status')
  })
})

describe('a long text', () => {
  it('is read on part by part, without a gap, from what was seen first', async () => {
    let whole = ''
    const before = server.requests.length
    for (let offset = 0; ; ) {
      const part = await fetched('/long', offset)
      expect(part.length).toBeLessThanOrEqual(5_000)
      expect(part.isWellFormed()).toBe(true)
      whole += part.slice(part.indexOf('\n\n') + 2)
      const next = /read on with offset (\d+)/.exec(part)?.[1]
      if (next === undefined) break
      offset = Number(next)
    }
    expect(whole).toBe(pages['/long']?.body)
    expect(server.requests.length).toBe(before + 1)
    expect(await codeOf(fetched('/long', 20_000))).toBe('offset_past_end')
  })
})

describe('a page made to harm', () => {
  it('is read as far as it goes, while the event loop goes on', async () => {
    const loop = watchLoop()
    const [deep, wide] = await Promise.all([fetched('/deep'), fetched('/wide')])
    expect(deep).toContain('the bottom')
    expect(wide).toContain('read on with offset')
    expect(await fetched('/tables')).toContain('|')
    loop.expectFree()
  })

  it('ends with the caller’s signal', async () => {
    const caller = new AbortController()
    const reason = new Error('cancelled')
    const reading = web.call({ url: `http://127.0.0.1:${server.port}/wide` }, caller.signal)
    caller.abort(reason)
    await expect(reading).rejects.toBe(reason)
  })
})

describe('the list of domains', () => {
  it('shuts out every other host; without it, internal ones alone', async () => {
    expect(await codeOf(web.call({ url: 'https://example.com/' }))).toBe('refused_host')
    const open = made(webFetch, {})
    expect(await codeOf(open.call({ url: `http://127.0.0.1:${server.port}/plain` }))).toBe('refused_address')
    const cut = made(webFetch, { SERVICE_AIRGAPPED: '1' })
    expect(await codeOf(cut.call({ url: 'https://example.com/' }))).toBe('refused_host')
    await Promise.all([open.tool.close?.(), cut.tool.close?.()])
  })

  it('stands in the tool’s description', () => {
    expect(web.tool).toMatchObject({ name: 'web_fetch', risk: 'read', idempotency: 'repeatable', isUntrusted: true })
    expect(web.tool.description).toContain('Only these hosts: 127.0.0.1.')
  })
})
