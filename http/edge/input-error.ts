/** Turns a validation error into one sentence with the name of the field. */
import type { z } from 'zod'
import { type ApiError, badRequest } from '../error.ts'

const issuesShown = 3

/** @param whole what was validated: "body", "query" or "path" */
export function inputError(error: z.ZodError, whole: string): ApiError {
  const issues = error.issues
  const texts = issues.slice(0, issuesShown).map((issue) => `${pathOf(issue.path) || `the ${whole}`}: ${issue.message}`)
  const more = issues.length > issuesShown ? ` (and ${issues.length - issuesShown} more)` : ''
  return badRequest(`${texts.join('; ')}${more}`, pathOf(issues[0]?.path ?? []) || undefined)
}

/** `messages[0].content`, cut to a length that is safe to send back. */
function pathOf(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
