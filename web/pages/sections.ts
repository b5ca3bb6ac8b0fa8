/**
 * The menu: its groups and entries, in order. An entry shows when one of its pages is there and allowed, and a group when
 * one of its entries is; pages say which entry they belong to (pages.ts).
 */
import type { LucideIcon } from 'lucide-react'
import {
  Bell,
  Bot,
  Cable,
  ChartColumn,
  CircleCheckBig,
  FlaskConical,
  KeyRound,
  LayoutDashboard,
  ListTree,
  MessagesSquare,
  ScrollText,
  Send,
  Server,
  Settings,
  Terminal,
  Users,
  Webhook,
} from 'lucide-react'

/** In every language of the UI. */
export interface Label {
  en: string
  ru: string
}

export interface Section {
  /** Without one it stands above the groups. */
  group?: GroupName
  title: Label
  icon: LucideIcon
  /** Behind `G`. */
  letter?: string
}

export const groups = {
  monitor: { en: 'Monitor', ru: 'Мониторинг' },
  build: { en: 'Build', ru: 'Разработка' },
  connect: { en: 'Connect', ru: 'Подключения' },
  administer: { en: 'Administer', ru: 'Управление' },
} as const satisfies Record<string, Label>
export type GroupName = keyof typeof groups

const section = (about: Section): Section => about

export const sections = {
  overview: section({ title: { en: 'Overview', ru: 'Обзор' }, icon: LayoutDashboard, letter: 'o' }),
  approvals: section({ title: { en: 'Approvals', ru: 'Согласования' }, icon: CircleCheckBig, letter: 'a' }),
  alerts: section({ title: { en: 'Alerts', ru: 'Тревоги' }, icon: Bell }),
  analytics: section({ group: 'monitor', title: { en: 'Analytics', ru: 'Аналитика' }, icon: ChartColumn }),
  conversations: section({
    group: 'monitor',
    title: { en: 'Conversations', ru: 'Разговоры' },
    icon: MessagesSquare,
    letter: 'c',
  }),
  turns: section({ group: 'monitor', title: { en: 'Turns', ru: 'Ходы' }, icon: ListTree, letter: 't' }),
  deliveries: section({ group: 'monitor', title: { en: 'Deliveries', ru: 'Доставки' }, icon: Send, letter: 'd' }),
  log: section({ group: 'monitor', title: { en: 'Log', ru: 'Журнал' }, icon: Terminal, letter: 'l' }),
  agents: section({ group: 'build', title: { en: 'Agents', ru: 'Агенты' }, icon: Bot }),
  playground: section({
    group: 'build',
    title: { en: 'Playground', ru: 'Песочница' },
    icon: FlaskConical,
    letter: 'p',
  }),
  channels: section({ group: 'connect', title: { en: 'Channels', ru: 'Каналы' }, icon: Cable }),
  webhooks: section({ group: 'connect', title: { en: 'Webhooks', ru: 'Вебхуки' }, icon: Webhook }),
  keys: section({ group: 'connect', title: { en: 'API keys', ru: 'Ключи API' }, icon: KeyRound }),
  people: section({ group: 'administer', title: { en: 'People and sign-in', ru: 'Люди и вход' }, icon: Users }),
  audit: section({ group: 'administer', title: { en: 'Audit log', ru: 'Журнал аудита' }, icon: ScrollText }),
  cluster: section({ group: 'administer', title: { en: 'Cluster', ru: 'Кластер' }, icon: Server }),
  settings: section({ group: 'administer', title: { en: 'Settings', ru: 'Настройки' }, icon: Settings, letter: 's' }),
}
export type SectionName = keyof typeof sections

export const sectionNames = Object.keys(sections) as readonly SectionName[]
