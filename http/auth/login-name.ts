/** Logins that an operator may have: judged as they are stored, and none that the audit log would take for somebody else. */
import { z } from 'zod'
import { loginOf } from '../../store/operators/operators.ts'

const charactersMax = 200

/** Whom the audit log names besides operators. */
const actors = ['agent', 'command line', 'compat', 'first start', 'nobody', 'setup', 'ticket', 'system', 'service']
const reserved: ReadonlySet<string> = new Set(actors)

export const Login = z
  .string()
  .trim()
  .min(1)
  .max(charactersMax)
  .refine(isPlain, 'must have no blanks and no control characters')
  .refine((text) => !isReserved(loginOf(text)), 'is a name that the audit log gives to others; take another one')

/** One form may hold what another does not: a single sign of Unicode can stand for eighteen, blanks among them. */
function isPlain(text: string): boolean {
  const stored = loginOf(text)
  return /^[^\s\p{C}]+$/u.test(text) && /^[^\s\p{C}]+$/u.test(stored) && stored.length <= charactersMax
}

/** Keys are named by their ids. */
const isReserved = (stored: string): boolean => reserved.has(stored) || stored.startsWith('key_')
