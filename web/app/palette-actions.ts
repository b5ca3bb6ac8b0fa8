/** What the palette does, beside going somewhere: `>` shows these alone. */
import {
  Bot,
  Cable,
  CircleCheckBig,
  CircleDollarSign,
  Keyboard,
  KeyRound,
  Languages,
  Moon,
  Webhook,
} from 'lucide-react'
import { matches, type PaletteContext, type PaletteItem, type PaletteSource } from './palette-item.ts'
import { openKeysHelp } from './palette-request.ts'

const words = {
  agent: { en: 'Make an agent', ru: 'Создать агента' },
  channel: { en: 'Connect a channel', ru: 'Подключить канал' },
  decide: { en: 'Approve or refuse what waits', ru: 'Согласовать или отклонить то, что ждёт' },
  key: { en: 'Make an API key', ru: 'Создать ключ API' },
  budget: { en: 'Set a budget', ru: 'Задать бюджет' },
  price: { en: 'Set a price', ru: 'Задать цену' },
  webhook: { en: 'Subscribe a webhook', ru: 'Подписать вебхук' },
  theme: { en: 'Switch between light and dark', ru: 'Сменить светлую и тёмную тему' },
  language: { en: 'Перейти на русский', ru: 'Switch to English' },
  keys: { en: 'Show all keys', ru: 'Показать все клавиши' },
} as const

function actions({ language, may, toggleTheme, chooseLanguage }: PaletteContext): PaletteItem[] {
  const item = (key: keyof typeof words, of: Omit<PaletteItem, 'key' | 'title'>): PaletteItem => ({
    key: `do:${key}`,
    title: words[key][language],
    ...of,
  })
  return [
    ...(may('agents.write') ? [item('agent', { icon: Bot, path: '/agents/new' })] : []),
    ...(may('channels.write') ? [item('channel', { icon: Cable, path: '/channels/_new' })] : []),
    ...(may('approvals.decide') ? [item('decide', { icon: CircleCheckBig, path: '/approvals' })] : []),
    ...(may('keys.write') ? [item('key', { icon: KeyRound, path: '/keys' })] : []),
    ...(may('money.write')
      ? [
          item('budget', { icon: CircleDollarSign, path: '/budgets' }),
          item('price', { icon: CircleDollarSign, path: '/prices' }),
        ]
      : []),
    ...(may('webhooks.write') ? [item('webhook', { icon: Webhook, path: '/webhooks' })] : []),
    item('theme', { icon: Moon, run: toggleTheme }),
    item('language', { icon: Languages, run: () => chooseLanguage(language === 'en' ? 'ru' : 'en') }),
    item('keys', { icon: Keyboard, run: openKeysHelp }),
  ]
}

export const actionSource: PaletteSource = {
  key: 'do',
  heading: { en: 'Do', ru: 'Сделать' },
  mark: '>',
  find: (query, context) => actions(context).filter(({ title }) => matches(query, title)),
}
