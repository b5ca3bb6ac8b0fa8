/** Finds the secret mark of the system prompt (the canary) in a streamed answer, also spelled out or encoded. */

const charactersMin = 8
const charactersMax = 64

/** The canary would be found in harmless answers, or is longer than what a stream may withhold. */
export class CanaryRefused extends Error {
  override readonly name = 'CanaryRefused'
  readonly code = 'canary_refused'
}

export interface CanaryWatch {
  /**
   * @param letter as `letterOf` reads it
   * @returns how many of the last letters and digits may be the beginning of the canary; `found`: all of it was seen
   */
  next(letter: number): number | 'found'
  /** The letters of its longest form. */
  readonly lettersMax: number
}

/** Watches for all forms that a model may give it when it is asked to encode its instructions. */
export function watchForCanary(canary: string): CanaryWatch {
  const forms = formsOf(canary)
  const matched = new Uint16Array(forms.length)
  return {
    next(letter) {
      let longest = 0
      for (let nth = 0; nth < forms.length; nth++) {
        const form = forms[nth]
        if (!form) continue
        const length = nextMatchLength(form, matched[nth] ?? 0, letter)
        if (length === form.letters.length) return 'found'
        matched[nth] = length
        if (length > longest) longest = length
      }
      return longest
    },
    lettersMax: Math.max(...forms.map(({ letters }) => letters.length)),
  }
}

interface Form {
  readonly letters: Uint16Array
  /** For each prefix, the length of the longest shorter prefix that it ends with. */
  readonly fallback: Uint16Array
}

/** The forms of the last canary: a process has one, so they are computed once. */
let lastCanary: { canary: string; forms: readonly Form[] } | undefined

function formsOf(canary: string): readonly Form[] {
  if (lastCanary?.canary === canary) return lastCanary.forms
  const letters = lettersOf(canary)
  if (letters.length < charactersMin || canary.length > charactersMax)
    throw new CanaryRefused(
      `a canary has ${charactersMin} letters and digits or more, and ${charactersMax} characters at most`,
    )
  const written = new Set([letters, [...letters].reverse().join(''), hexOf(canary), ...base64Of(canary)])
  const forms = [...written].map((form) => {
    const units = Uint16Array.from(form, (letter) => letter.charCodeAt(0))
    return { letters: units, fallback: fallbacks(units) }
  })
  lastCanary = { canary, forms }
  return forms
}

/** Letters and digits only: blanks, stars and hyphens between them do not hide it. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

const asciiLetters = Uint16Array.from({ length: 0x80 }, (_, unit) => lettersOf(String.fromCharCode(unit)).charCodeAt(0))

/** @returns the UTF-16 unit in lower case; 0 for what is neither letter nor digit */
export function letterOf(unit: number): number {
  if (unit < asciiLetters.length) return asciiLetters[unit] ?? 0
  return lettersOf(String.fromCharCode(unit)).charCodeAt(0) || 0
}

const hexOf = (canary: string): string => Buffer.from(canary).toString('hex')

/** Its base64 depends on where it begins in a group of three bytes; characters shared with its neighbours are left out. */
function base64Of(canary: string): string[] {
  const bytes = Buffer.from(canary)
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const first = shift === 0 ? 0 : shift + 1
    const isCut = (bytes.length + shift) % 3 !== 0
    return lettersOf(whole.slice(first, isCut ? -1 : undefined))
  })
}

/**
 * @param matched of the form, before this letter
 * @see Knuth, Morris, Pratt: Fast Pattern Matching in Strings (1977); each letter costs a bounded time on average
 */
function nextMatchLength({ letters, fallback }: Form, matched: number, letter: number): number {
  let length = matched
  while (length > 0 && letters[length] !== letter) length = fallback[length - 1] ?? 0
  return letters[length] === letter ? length + 1 : length
}

function fallbacks(letters: Uint16Array): Uint16Array {
  const longest = new Uint16Array(letters.length)
  for (let at = 1, length = 0; at < letters.length; at++) {
    while (length > 0 && letters[at] !== letters[length]) length = longest[length - 1] ?? 0
    if (letters[at] === letters[length]) length++
    longest[at] = length
  }
  return longest
}
