/** What a check of `service doctor` finds, and what to do about it. */

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

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
