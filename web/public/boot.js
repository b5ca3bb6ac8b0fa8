// Before anything is painted: the theme and the language that were chosen, or that the system has.
const html = document.documentElement
const read = (name) => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null // a browser that keeps nothing for us
  }
}
const theme = read('mantine-color-scheme-value')
const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
html.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
html.lang = read('language') ?? (navigator.language.startsWith('ru') ? 'ru' : 'en')
