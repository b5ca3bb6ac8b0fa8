/** What the thread that counts tokens takes and returns: a count for each text. */

export type TokensTask = readonly string[]
export type TokenCounts = number[]

export const tokensFile = new URL('./tokens.ts', import.meta.url)
