/** The language of replies, unless the instructions say otherwise. */
import { LRUCache } from 'lru-cache'

/** Finding a name takes some 60 µs, and the setting seldom changes. */
const languages = new LRUCache<string, string>({ max: 64 })

/** A setting is free text: what is no language tag is passed on as it is, on one line. */
export function locale(tag: string): string {
  const words = tag.replace(/\s+/g, ' ').trim()
  const language = words === '' ? 'the language of the user' : languageOf(words)
  return `Reply in ${language} unless <instructions> or <persona> say otherwise.`
}

function languageOf(words: string): string {
  const language = languages.get(words) ?? languageName(words)
  languages.set(words, language)
  return language
}

function languageName(words: string): string {
  try {
    const [tag = words] = Intl.getCanonicalLocales(words)
    const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(new Intl.Locale(tag).language)
    return name === undefined ? words : `${name} (${tag})`
  } catch (error) {
    if (error instanceof RangeError) return words
    throw error
  }
}
