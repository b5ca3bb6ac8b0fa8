/** Choices in the browser's storage, never secrets. Without storage they last as long as the page. */
import { type Language, languages } from '../text/text.ts'

interface BrowserSetting<Value> {
  get(): Value
  set(value: Value): void
}

export function browserSetting<Value>(
  key: string,
  byDefault: Value,
  read: (text: string) => Value | undefined,
  write: (value: Value) => string = String,
): BrowserSetting<Value> {
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
        // No storage: the choice lasts as long as the page.
      }
    },
  }
}

export const lastLogin = browserSetting('login', '', (text) => text)
export const chosenLanguage = browserSetting<Language>(
  'language',
  navigator.language.startsWith('ru') ? 'ru' : 'en',
  (text) => languages.find((language) => language === text),
)
/** Whether single letters are keys of the UI. */
export const singleKeys = browserSetting('single-keys', true, (text) => text === 'true')
