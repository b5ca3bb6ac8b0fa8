/** Counts tokens with the o200k vocabulary, on a thread: loading it takes 0.2 s and 70 MB, and some texts take seconds. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { TokenCounts, TokensTask } from './tokens.task.ts'

/** Texts are counted in slices, cut where the tokenizer merges nothing, so that the sum is the count of the whole. */
const sliceCharacters = 2_048

/** The tokenizer's time grows with the square of a word; a longer one is cut, at the price of a token each. */
const wordCharacters = 256

const longWord = new RegExp(`\\S{${wordCharacters + 1}}`)

/** Names of special tokens are counted as text: a text that contains one must not make the count fail. */
const asText = { disallowedSpecial: new Set<string>() }

export default function count(texts: TokensTask): TokenCounts {
  return texts.map(tokensIn)
}

function tokensIn(text: string): number {
  let tokens = 0
  for (let from = 0; from < text.length; ) {
    const to = endOfSlice(text, from)
    const slice = text.slice(from, to)
    tokens += longWord.test(slice) ? tokensInPieces(slice) : countTokens(slice, asText)
    from = to
  }
  return tokens
}

/** Before the last space, so that a word stays with the space that it is merged with. */
function endOfSlice(text: string, from: number): number {
  const end = from + sliceCharacters
  if (end >= text.length) return text.length
  const space = text.lastIndexOf(' ', end)
  return space > from ? space : betweenCharacters(text, end)
}

function tokensInPieces(slice: string): number {
  let tokens = 0
  for (let from = 0; from < slice.length; ) {
    const to = betweenCharacters(slice, Math.min(from + wordCharacters, slice.length))
    tokens += countTokens(slice.slice(from, to), asText)
    from = to
  }
  return tokens
}

/** Not inside a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
