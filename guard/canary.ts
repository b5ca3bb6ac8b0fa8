/** Finds a secret mark of the system prompt in an answer that comes in pieces, also when it is spelled out or encoded. */

const charactersMin = 8
const charactersMax = 64

/** A canary that would be found in harmless answers, or that is longer than what may be held back. */
export class CanaryRefused extends Error {
  override readonly name = 'CanaryRefused'
  readonly code = 'canary_refused'
}

export interface CanaryWatch {
  /**
   * @param letter as `letterOf` reads it
   * @returns how many of the letters and digits heard last may be the beginning of the canary; `found` when all of it was heard
   */
  hear(letter: number): number | 'found'
  /** The letters of its longest form. */
  readonly lettersMax: number
}

/** What the model may make of it when it is asked to encode what it was told. */
export function watchFor(canary: string): CanaryWatch {
  const forms = formsOf(canary)
  const matched = new Uint16Array(forms.length)
  return {
    hear(letter) {
      let longest = 0
      for (let nth = 0; nth < forms.length; nth++) {
        const form = forms[nth]
        if (!form) continue
        const length = heardOf(form, matched[nth] ?? 0, letter)
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
  /** For each beginning the longest other beginning that it ends with. */
  readonly fallback: Uint16Array
}

/** A process has one canary: what is reckoned from it is reckoned once. */
let known: { canary: string; forms: readonly Form[] } | undefined

function formsOf(canary: string): readonly Form[] {
  if (known?.canary === canary) return known.forms
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
  known = { canary, forms }
  return forms
}

/** Everything else between them is passed over: blanks, stars and hyphens do not hide it. */
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

/** Where the canary begins within a group of three bytes changes its letters; those that its neighbours share are left out. */
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
function heardOf({ letters, fallback }: Form, matched: number, letter: number): number {
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
