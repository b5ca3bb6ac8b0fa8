/** What the pool for large JSON takes, and its limits. A body of 16 MiB of text takes some 50 ms and 100 MiB of heap. */

export interface ParseJsonTask {
  /** JSON in UTF-8, already bounded in depth, values and fields. */
  readonly bytes: Uint8Array
}

/** The parser's message has an excerpt of the body: nothing for a log. */
export type ParseJsonResult = { readonly value: unknown } | { readonly parserMessage: string }

export const parseJsonPool = {
  name: 'parse-json',
  file: new URL('./parse-json.ts', import.meta.url),
  size: 1,
  queueMax: 256,
  timeoutMs: 10_000,
  memoryMb: 256,
}
