/** Texts of parts that are loaded with pages, and not before. */
import { texts } from '../text/text.ts'

export const partsText = texts({
  en: {
    listFull: 'The list shows {n} rows, and there are more. Narrow the filters to see the rest.',
    notCopied: 'The browser does not let the page copy. Select the text and copy it.',
  },
  ru: {
    listFull: 'В списке {n} строк, и это не все. Чтобы увидеть остальные, сузьте фильтры.',
    notCopied: 'Браузер не даёт странице копировать. Выделите текст и скопируйте его.',
  },
})
