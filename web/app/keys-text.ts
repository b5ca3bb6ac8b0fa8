/** Texts of the list of keys. */
import { texts } from '../text/text.ts'

export const keysText = texts({
  en: {
    title: 'Keyboard',
    palette: 'Jump to anything',
    search: 'Search on this page',
    rows: 'Next and previous row',
    open: 'Open the row',
    choose: 'Choose the row, and up to here',
    close: 'Close, then back',
    tabs: 'Previous and next tab',
    filter: 'Filter',
    reload: 'Reload a list',
    decide: 'To Approve, to Refuse',
    save: 'Save',
    send: 'Send',
    theme: 'Light or dark',
    allKeys: 'This list',
  },
  ru: {
    title: 'Клавиатура',
    palette: 'Перейти куда угодно',
    search: 'Поиск на этой странице',
    rows: 'Следующая и предыдущая строка',
    open: 'Открыть строку',
    choose: 'Выбрать строку и до неё',
    close: 'Закрыть, затем назад',
    tabs: 'Предыдущая и следующая вкладка',
    filter: 'Фильтр',
    reload: 'Обновить список',
    decide: 'К согласованию, к отказу',
    save: 'Сохранить',
    send: 'Отправить',
    theme: 'Светлая или тёмная тема',
    allKeys: 'Этот список',
  },
})
