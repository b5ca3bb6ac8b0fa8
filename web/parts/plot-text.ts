/** Words of plots. */
import { texts } from '../text/text.ts'

export const plotText = texts({
  en: { asTable: 'As a table', time: 'Time', nothing: 'Nothing in this time.' },
  ru: { asTable: 'Таблицей', time: 'Время', nothing: 'За это время ничего не было.' },
})
