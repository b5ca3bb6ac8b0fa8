/** Passwords that are tried first by whoever guesses: much used ones, patterns, and names that everybody knows. */
import { readFileSync } from 'node:fs'
import { badRequest } from '../error.ts'

const productNames = ['agent-platform', 'agent platform', 'agentplatform']
/** With digits or signs around them these make the most used passwords of ten characters and more. */
const cores: ReadonlySet<string> = new Set(
  'password passwort passw0rd p@ssword p@ssw0rd пароль qwerty qwertz йцукен admin administrator root welcome letmein iloveyou changeme secret monkey dragon football'.split(
    ' ',
  ),
)
/** Of logins: "al" stands in half of all passwords. */
const loginCharactersMin = 4
const sequences = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'йцукенгшщзхъфывапролджэ',
]

/** Read at the first use. */
let list: ReadonlySet<string> | undefined

function common(): ReadonlySet<string> {
  list ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
  return list
}

/** @returns what is wrong with it; undefined: it may be used */
export function passwordProblem(password: string, login: string): string | undefined {
  const text = folded(password)
  const name = folded(login)
  if (common().has(text) || cores.has(text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')) || cores.has(core(text))) {
    return 'is one of those that are tried first: choose another'
  }
  if (isRepeated(text) || isSequence(text)) return 'is a simple pattern: choose another'
  if (name.length >= loginCharactersMin && text.includes(name)) return 'contains the login: choose another'
  if (productNames.some((product) => text.includes(product))) return 'contains the name of the product: choose another'
  return undefined
}

/** @throws ApiError, about `param` */
export function refuseGuessable(password: string, login: string, param: string): void {
  const problem = passwordProblem(password, login)
  if (problem !== undefined) throw badRequest(`The password ${problem}.`, param)
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Without digits and signs behind it. */
const core = (text: string): string => text.replace(/[\d\p{P}\p{S}]+$/u, '')

/** One to four characters again and again: found again within its double, that many places on. */
function isRepeated(text: string): boolean {
  const period = (text + text).indexOf(text, 1)
  return period < text.length && period <= 4
}

function isSequence(text: string): boolean {
  return sequences.some((row) => row.includes(text) || [...row].reverse().join('').includes(text))
}
