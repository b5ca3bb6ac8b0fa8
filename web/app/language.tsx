/** The chosen language, for the whole page. */
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { type Language, LanguageProvider } from '../text/text.ts'
import { chosenLanguage } from './browser-settings.ts'

/** Loaded behind the first page: nobody has sent a form before. */
void import('./validity.ts').then(
  ({ sayInvalidIn }) => sayInvalidIn(() => (document.documentElement.lang === 'ru' ? 'ru' : 'en')),
  () => undefined, // the browser's own words then
)

const ChooseContext = createContext<(language: Language) => void>(() => {})
export const useChooseLanguage = () => useContext(ChooseContext)

export function Languages({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(chosenLanguage.get)
  useEffect(() => {
    document.documentElement.lang = language
    chosenLanguage.set(language)
  }, [language])
  return (
    <LanguageProvider value={language}>
      <ChooseContext value={setLanguage}>{children}</ChooseContext>
    </LanguageProvider>
  )
}
