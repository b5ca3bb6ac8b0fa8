/** Markdown as it is rendered: everything people expect of it, and nothing that runs, fetches or leads astray. */
import { createElement, type FunctionComponent, type PropsWithChildren } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { parsed } from '../../web/parts/markdown-parse.ts'

// Imported dynamically: they need the DOM's types, which the tests do not have.
const imported = (file: string): Promise<unknown> => import(/* @vite-ignore */ new URL(file, import.meta.url).href)
const { MarkdownTokens } = (await imported('../../web/parts/markdown-body.tsx')) as {
  MarkdownTokens: FunctionComponent<{ tokens: unknown }>
}
const { MantineProvider } = (await imported('../../node_modules/@mantine/core/esm/index.mjs')) as {
  MantineProvider: FunctionComponent<PropsWithChildren>
}

function html(text: string): string {
  const tokens = parsed(text)
  if (!tokens) return ''
  return renderToStaticMarkup(createElement(MantineProvider, null, createElement(MarkdownTokens, { tokens })))
}

describe('Markdown', () => {
  it('has headings below those of the page, lists, tables, quotes, code and links', () => {
    expect(html('# One\n\ntwo **three** *four* ~~five~~ `six`')).toMatch(
      /<h3>One<\/h3>.*<strong>three<\/strong>.*<em>four<\/em>.*<del>five<\/del>.*<code[^>]*>six<\/code>/,
    )
    expect(html('3. a\n4. b')).toContain('<ol start="3"><li>a</li><li>b</li></ol>')
    expect(html('- [x] done\n- [ ] open')).toMatch(/☑ done.*☐ open/)
    expect(html('| a | b |\n| - | -: |\n| 1 | 2 |')).toMatch(/<th[^>]*>a<\/th>.*<td style="text-align:right">2<\/td>/)
    expect(html('> quoted')).toContain('<blockquote><p>quoted</p></blockquote>')
    expect(html('```js\nlet a = 1\n```')).toMatch(/<pre[^>]*><code>let a = 1<\/code><\/pre>/)
    expect(html('1 &lt; 2 &amp;&amp; 3')).toContain('1 &lt; 2 &amp;&amp; 3')
  })

  it('of the web and of mail links in a new tab, without a referrer', () => {
    expect(html('[go](https://example.com/a "t") and https://example.com/b')).toContain(
      '<a href="https://example.com/a" target="_blank" rel="noopener noreferrer nofollow ugc"',
    )
    expect(html('<me@example.com>')).toContain('href="mailto:me@example.com"')
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#115;cript:alert(1))',
    '[x](&#x6A;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:msgbox)',
    '[x](//evil.example.com)',
    '[x](/settings)',
    '[x]\n\n[x]: javascript:alert(1)',
    '<javascript:alert(1)>',
  ])('makes no link of %s', (text) => {
    expect(html(text)).not.toContain('<a ')
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onmouseover=alert(1)>b</b>',
    '<svg/onload=alert(1)>',
    '<iframe src="https://example.com"></iframe>',
    '![pixel](https://example.com/pixel.png)',
    '```html\n<script>alert(1)</script>\n```',
    '`<img src=x>`',
    '|<script>|\n|-|\n|<img src=x>|',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '<style>*{display:none}</style>',
    '<form action="https://example.com"><input></form>',
  ])('shows %s as text, and fetches nothing', (text) => {
    // The style element is the provider's own.
    const shown = html(text).replace(/<style data-mantine-styles[\s\S]*?<\/style>/g, '')
    expect(shown).not.toMatch(/<(script|img|svg|iframe|style|form|input|object|embed|link|meta|base)\b/i)
    expect(shown).not.toMatch(/\son\w+="/)
  })

  it('that is nested too deep is no tree, and of what is deep only so much is nested as anybody writes', () => {
    expect(parsed('> '.repeat(20_000))).toBeUndefined()
    expect(html(`${'> '.repeat(300)}x`).match(/<blockquote>/g)?.length).toBeLessThan(60)
  })

  it.each([
    ['a short table of many cells', `${'|a'.repeat(300)}|\n${'|-'.repeat(300)}|\n${'|\n'.repeat(300)}`],
    ['a long text in many quotes', `${'> '.repeat(400)}${'x'.repeat(50_000)}`],
  ])('of which too much would come is no tree: %s', (_what, text) => {
    expect(parsed(text)).toBeUndefined()
  })
})
