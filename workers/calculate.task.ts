/** What the thread that evaluates expressions takes and returns. */

export interface CalculateTask {
  expression: string
  /** Of the result; a longer one is cut. */
  charactersMax: number
  timeoutMs: number
}

/** refused: `text` says what is wrong with the expression. */
export type CalculateResult =
  | { end: 'done'; text: string; isCut: boolean }
  | { end: 'refused'; text: string }
  | { end: 'too_long' | 'too_large' }

export const calculateFile = new URL('./calculate.ts', import.meta.url)
