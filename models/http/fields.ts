/** JSON of others, before we know what is in it. */

export type Fields = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export const textOrBlank = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Of a model or a reason: each chunk and each record repeats it. */
const nameCharactersMax = 500

export const nameOrUndefined = (value: unknown): string | undefined =>
  textOrBlank(value).slice(0, nameCharactersMax) || undefined
