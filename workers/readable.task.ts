/** What the thread that turns HTML into Markdown takes and returns. */

export interface ReadableTask {
  html: string
  /** Where the page came from: its links are resolved against it. */
  url: string
  charactersMax: number
}

export interface ReadableText {
  /** Empty: none. */
  title: string
  byline: string
  /** Markdown: headings, lists, quotes, code and links. */
  text: string
  /** The page was too large to be read to its end. */
  isCut: boolean
}

export const readableFile = new URL('./readable.ts', import.meta.url)
