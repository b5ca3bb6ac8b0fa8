/** The tokens of a Markdown text, parsed beside the page. */
import type { Token } from 'marked'
import { textWork, useTextWork } from './beside-the-page.ts'

const parsing = textWork<Token[]>(
  () => new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' }),
)

/** Undefined: not parsed yet, or not to be parsed. */
export const useMarkdown = (text: string): Token[] | undefined => useTextWork(parsing, text)
