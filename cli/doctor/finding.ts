/** What a check of `service doctor` finds, and what to do about it. */
import { withoutPassword } from '../../config/url-password.ts'

export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  /** What is so, in one line. */
  found: string
  /** What to do; absent when all is well. */
  advice?: string
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
})
export const failed = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'failed',
  found,
  advice,
})

/** In one line, with what caused it: `fetch failed` alone tells nothing. Addresses lose their passwords. */
export function reason(error: unknown): string {
  const said: string[] = []
  for (let at = error, depth = 0; at !== undefined && depth < 4; depth++) {
    const { message, code } = at instanceof Error ? (at as NodeJS.ErrnoException) : { message: String(at) }
    const words = message || code || 'no reason given'
    if (!said.some((earlier) => earlier.includes(words))) said.push(words)
    at = at instanceof AggregateError ? at.errors[0] : at instanceof Error ? at.cause : undefined
  }
  return withoutPassword(said.join(': ').replaceAll(/\s+/g, ' '))
}
