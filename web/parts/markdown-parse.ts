/** A Markdown text as a tree of tokens. It runs in a worker: texts exist that keep the parser busy for seconds. */
import { marked, type Token } from 'marked'

/** A few lines can make a table of a million cells, and quotes in quotes repeat their text at each level: the page would stand still. */
const limits = { tokens: 20_000, characters: 2_000_000 }

/** Undefined: it is nested too deep to be parsed, or too much comes of it; it is shown as it is. */
export function parsed(text: string): Token[] | undefined {
  try {
    // Without the lists of links that hang on the array: only tokens are passed on.
    const tokens = [...marked.lexer(text, { gfm: true, breaks: true })]
    return isModest(tokens) ? tokens : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function isModest(tokens: readonly Token[]): boolean {
  const left = { ...limits }
  const open: unknown[] = [tokens]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') left.characters -= value.length
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) left.tokens--
    if (left.tokens < 0 || left.characters < 0) return false
    for (const part of Object.values(value)) if (part !== undefined) open.push(part)
  }
  return true
}
