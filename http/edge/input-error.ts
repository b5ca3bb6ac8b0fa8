/** Turns a validation error into one sentence with the name of the field. */
import type { z } from 'zod'
import { type ApiError, badRequest } from '../error.ts'

const issuesShown = 3

/** @param whole what was validated: "body", "query" or "path" */
export function inputError(error: z.ZodError, whole: string): ApiError {
  const issues = error.issues.map(plainIssue)
  const texts = issues.slice(0, issuesShown).map(({ path, text }) => `${pathOf(path) || `the ${whole}`}: ${text}`)
  const more = issues.length > issuesShown ? ` (and ${issues.length - issuesShown} more)` : ''
  return badRequest(`${texts.join('; ')}${more}`, pathOf(issues[0]?.path ?? []) || undefined)
}

interface PlainIssue {
  path: readonly PropertyKey[]
  text: string
}

/** What is missing is said so, and of several forms that a value may have, which they are or what is wrong with the nearest. */
function plainIssue(issue: z.core.$ZodIssue): PlainIssue {
  const { path, message } = issue
  if (issue.code === 'invalid_type' && message.endsWith('received undefined')) return { path, text: 'is required' }
  if (issue.code !== 'invalid_union') return { path, text: message }
  const nearest = issue.errors.find((inner) => inner.every((each) => each.path.length > 0))?.[0]
  if (nearest) {
    const inner = plainIssue(nearest)
    return { path: [...path, ...inner.path], text: inner.text }
  }
  const forms = issue.errors.flatMap((inner) => (inner[0]?.code === 'invalid_type' ? [inner[0].expected] : []))
  return { path, text: forms.length > 0 ? `must be ${[...new Set(forms)].join(' or ')}` : message }
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
