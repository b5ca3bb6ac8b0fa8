/** The result of a check of `service doctor`, and what to do about it. */
import { withoutPassword } from '../../config/url-password.ts'

export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  /** In one line. */
  found: string
  /** Absent: there is nothing to do. */
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

/** The error and its causes in one line, as `fetch failed` alone says nothing. Passwords in addresses are removed. */
export function reason(error: unknown): string {
  const messages: string[] = []
  for (let at = error, depth = 0; at !== undefined && depth < 4; depth++) {
    const { message, code } = at instanceof Error ? (at as NodeJS.ErrnoException) : { message: String(at) }
    const text = message || code || 'no reason given'
    if (!messages.some((earlier) => earlier.includes(text))) messages.push(text)
    at = at instanceof AggregateError ? at.errors[0] : at instanceof Error ? at.cause : undefined
  }
  return withoutPassword(messages.join(': ').replaceAll(/\s+/g, ' '))
}
