/** Finds a secret mark of the system prompt in an answer that comes in pieces, also when it is spelled out or encoded. */

const charactersMin = 8
const charactersMax = 64

/** A canary that would be found in harmless answers, or that is longer than what may be held back. */
export class CanaryRefused extends Error {
  override readonly name = 'CanaryRefused'
  readonly code = 'canary_refused'
}

export interface CanaryWatch {
  /** @returns how many of the letters and digits heard last may be the beginning of the canary; `found` when all of it was heard */
  hear(letter: string): number | 'found'
}

/** What the model may make of it when it is asked to encode what it was told. */
export function watchFor(canary: string): CanaryWatch {
  const letters = lettersOf(canary)
  if (letters.length < charactersMin || canary.length > charactersMax)
    throw new CanaryRefused(
      `a canary has ${charactersMin} letters and digits or more, and ${charactersMax} characters at most`,
    )
  const forms = new Set([letters, [...letters].reverse().join(''), hexOf(canary), ...base64Of(canary)])
  const watches = [...forms].map(watchForm)
  return {
    hear(letter) {
      let longest = 0
      for (const hear of watches) {
        const heard = hear(letter)
        if (heard === 'found') return heard
        longest = Math.max(longest, heard)
      }
      return longest
    },
  }
}

/** Everything else between them is passed over: blanks, stars and hyphens do not hide it. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
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

/** @see Knuth, Morris, Pratt: Fast Pattern Matching in Strings (1977); each letter costs a bounded time on average */
function watchForm(form: string): (letter: string) => number | 'found' {
  const fallback = fallbacks(form)
  let matched = 0
  return (letter) => {
    while (matched > 0 && form[matched] !== letter) matched = fallback[matched - 1] ?? 0
    if (form[matched] === letter) matched++
    return matched === form.length ? 'found' : matched
  }
}

/** For each beginning the longest other beginning that it ends with. */
function fallbacks(form: string): number[] {
  const longest = [0]
  for (let at = 1, length = 0; at < form.length; at++) {
    while (length > 0 && form[at] !== form[length]) length = longest[length - 1] ?? 0
    if (form[at] === form[length]) length++
    longest.push(length)
  }
  return longest
}
