/** What the browser remembers for this operator: choices, never secrets. A browser that keeps nothing loses only these. */
import { type Language, languages } from '../text/text.ts'

interface Remembered<Value> {
  get(): Value
  set(value: Value): void
}

export function remembered<Value>(
  key: string,
  byDefault: Value,
  read: (text: string) => Value | undefined,
  write: (value: Value) => string = String,
): Remembered<Value> {
  return {
    get() {
      try {
        const text = localStorage.getItem(key)
        return text === null ? byDefault : (read(text) ?? byDefault)
      } catch {
        return byDefault
      }
    },
    set(value) {
      try {
        localStorage.setItem(key, write(value))
      } catch {
        // Not kept: the choice lasts as long as the page.
      }
    },
  }
}

export const rememberedLogin = remembered('login', '', (text) => text)
export const rememberedLanguage = remembered<Language>(
  'language',
  navigator.language.startsWith('ru') ? 'ru' : 'en',
  (text) => languages.find((language) => language === text),
)
