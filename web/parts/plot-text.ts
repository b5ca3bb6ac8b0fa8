/** Texts of plots. */
import { texts } from '../text/text.ts'

export const plotText = texts({
  en: { asTable: 'As a table', time: 'Time', nothing: 'No data in this period.' },
  ru: { asTable: 'Таблицей', time: 'Время', nothing: 'За это время данных нет.' },
})
