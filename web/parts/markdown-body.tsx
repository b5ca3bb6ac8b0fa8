/** The tokens of a Markdown text as React elements; only ever loaded by way of `Markdown`. */
import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, memo, type ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import styles from './markdown.module.css'
import { MarkdownLink } from './markdown-link.tsx'
import { useMarkdown } from './use-markdown.ts'

/** Deeper nesting, which nobody writes by hand, is shown as text. */
const depthMax = 24

export default function MarkdownBody({ text }: { text: string }) {
  const tokens = useMarkdown(text)
  if (!tokens) return <div className={styles['plain']}>{text}</div>
  return <MarkdownTokens tokens={tokens} />
}

export const MarkdownTokens = memo(function MarkdownTokens({ tokens }: { tokens: readonly Token[] }) {
  return <>{blocks(tokens, 0)}</>
})

function blocks(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
  return tokens?.map((token, at) => <Fragment key={at} token={token as MarkedToken} depth={depth} />)
}

/** One token. Everything that is not listed is shown as the text it is, HTML with it. */
function Fragment({ token, depth }: { token: MarkedToken; depth: number }): ReactNode {
  if (depth > depthMax) return token.raw
  const inner = (tokens: readonly Token[] | undefined) => blocks(tokens, depth + 1)
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      // The page has h1 and h2 of its own.
      return createElement(`h${Math.min(6, token.depth + 2)}`, null, inner(token.tokens))
    case 'paragraph':
      return <p>{inner(token.tokens)}</p>
    case 'text':
      return 'tokens' in token && token.tokens ? inner(token.tokens) : withEntities(token.text)
    case 'escape':
      return token.text
    case 'strong':
      return <strong>{inner(token.tokens)}</strong>
    case 'em':
      return <em>{inner(token.tokens)}</em>
    case 'del':
      return <del>{inner(token.tokens)}</del>
    case 'codespan':
      return <code className={styles['code']}>{token.text}</code>
    case 'code':
      return <CodeBlock code={token.text} language={token.lang?.trim().split(/\s/)[0] ?? ''} />
    case 'br':
      return <br />
    case 'hr':
      return <hr />
    case 'blockquote':
      return <blockquote>{inner(token.tokens)}</blockquote>
    case 'link':
      return <MarkdownLink href={token.href}>{inner(token.tokens)}</MarkdownLink>
    case 'image':
      return <MarkdownLink href={token.href}>{token.text === '' ? token.href : token.text}</MarkdownLink>
    case 'list':
      return (
        <List list={token}>
          {token.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text's items do not move
            <li key={at}>{inner(item.tokens)}</li>
          ))}
        </List>
      )
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'table':
      return <TableOf table={token} inner={inner} />
    default:
      return token.raw
  }
}

function List({ list, children }: { list: Tokens.List; children: ReactNode }) {
  if (!list.ordered) return <ul>{children}</ul>
  return <ol start={list.start === '' || list.start === 1 ? undefined : list.start}>{children}</ol>
}

function TableOf({ table, inner }: { table: Tokens.Table; inner(tokens: readonly Token[]): ReactNode }) {
  const style = (at: number) => ({ textAlign: table.align[at] ?? 'left' })
  return (
    <section
      className={styles['table']}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard too
      tabIndex={0}
      aria-label={table.header.map(({ text }) => text).join(', ')}
    >
      <table>
        <thead>
          <tr>
            {table.header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a text's cells do not move
              <th key={at} style={style(at)}>
                {inner(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={line}>
              {row.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={at} style={style(at)}>
                  {inner(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Entities as the characters they name: what comes of it is text, whatever it looks like. */
function withEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return named[String(name).toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
