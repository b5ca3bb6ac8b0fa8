/** Texts in two languages: typed keys, `{name}` for values, and the plural forms that each language has. */
import { createContext, useContext } from 'react'

export const languages = ['en', 'ru'] as const
export type Language = (typeof languages)[number]

/** By the number in `{n}`; `other` is what every language has. */
export interface Plural {
  one?: string
  few?: string
  many?: string
  other: string
}
export type Texts = Readonly<Record<string, string | Plural>>

/** One page's texts: Russian has every key that English has. */
export interface TextSet<Keys extends Texts> {
  en: Keys
  ru: { readonly [Key in keyof Keys]: string | Plural }
}

export function texts<const Keys extends Texts>(set: TextSet<Keys>): TextSet<Keys> {
  return set
}

export type Values = Readonly<Record<string, string | number>>
export type Translate<Keys extends Texts> = (key: keyof Keys, values?: Values) => string

const LanguageContext = createContext<Language>('en')
export const LanguageProvider = LanguageContext.Provider
export const useLanguage = (): Language => useContext(LanguageContext)

const rules: Record<Language, Intl.PluralRules> = { en: new Intl.PluralRules('en'), ru: new Intl.PluralRules('ru') }

export function translator<Keys extends Texts>(set: TextSet<Keys>, language: Language): Translate<Keys> {
  return (key, values) => {
    const entry = set[language][key] ?? set.en[key]
    const text = typeof entry === 'string' ? entry : pluralOf(entry as Plural, Number(values?.['n'] ?? 0), language)
    if (!values) return text
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name]
      if (value === undefined) return whole
      return typeof value === 'number' ? value.toLocaleString(language) : value
    })
  }
}

function pluralOf(plural: Plural, count: number, language: Language): string {
  const form = rules[language].select(count)
  return (form in plural ? plural[form as keyof Plural] : undefined) ?? plural.other
}

/** One for each set and language, so that what depends on it alone is not rendered anew. */
const translators: Record<Language, WeakMap<object, unknown>> = { en: new WeakMap(), ru: new WeakMap() }

export function useText<Keys extends Texts>(set: TextSet<Keys>): Translate<Keys> {
  const language = useLanguage()
  const known = translators[language].get(set) as Translate<Keys> | undefined
  if (known) return known
  const made = translator(set, language)
  translators[language].set(set, made)
  return made
}
