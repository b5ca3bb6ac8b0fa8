/** The logins that an operator may have. The stored form is checked too; names that the audit log uses are reserved. */
import { z } from 'zod'
import { loginOf } from '../../store/operators/operators.ts'

const charactersMax = 200

/** Actors in the audit log besides operators and keys. */
const actors = ['agent', 'command line', 'compat', 'first start', 'nobody', 'setup', 'ticket', 'system', 'service']
const reserved: ReadonlySet<string> = new Set(actors)

export const Login = z
  .string()
  .trim()
  .min(1)
  .max(charactersMax)
  .refine(isPlain, 'must have no blanks and no control characters')
  .refine((text) => !isReserved(loginOf(text)), 'is reserved: the audit log uses this name')

/** Both forms are checked: normalisation can turn one Unicode character into eighteen, with spaces among them. */
function isPlain(text: string): boolean {
  const stored = loginOf(text)
  return /^[^\s\p{C}]+$/u.test(text) && /^[^\s\p{C}]+$/u.test(stored) && stored.length <= charactersMax
}

/** Keys appear in the audit log by their ids. */
const isReserved = (stored: string): boolean => reserved.has(stored) || stored.startsWith('key_')
