/** A Markdown text as a tree of tokens. It runs in a worker: texts exist that keep the parser busy for seconds. */
import { marked, type Token } from 'marked'

/** Undefined: it is nested too deep to be parsed, and is shown as it is. */
export function parsed(text: string): Token[] | undefined {
  try {
    // Without the lists of links that hang on the array: only tokens are passed on.
    return [...marked.lexer(text, { gfm: true, breaks: true })]
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
