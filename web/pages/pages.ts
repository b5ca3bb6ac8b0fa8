/** Every page with its permission and its place in the menu. A page is a folder and an entry here; there are no other routes. */
import type { ComponentType } from 'react'
import type { Permission } from '../api/session.ts'
import { type Label, type SectionName, sections } from './sections.ts'

export interface PageEntry {
  /** As in `/conversations/$id`. */
  path: string
  /** In the palette, in the path, and on its tab where its section has several pages. */
  title: Label
  /** Its entry in the menu; a page without one is reached from elsewhere. */
  section?: SectionName
  permission: Permission
  load(): Promise<{ default: ComponentType }>
}

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: sections.overview.title,
    section: 'overview',
    permission: 'overview.read',
    load: () => import('./overview/page.tsx'),
  },
  {
    path: '/approvals',
    title: sections.approvals.title,
    section: 'approvals',
    permission: 'approvals.read',
    load: () => import('./approvals/page.tsx'),
  },
  {
    path: '/alerts',
    title: sections.alerts.title,
    section: 'alerts',
    permission: 'alerts.read',
    load: () => import('./alerts/page.tsx'),
  },
  {
    path: '/analytics',
    title: sections.analytics.title,
    section: 'analytics',
    permission: 'usage.read',
    load: () => import('./analytics/page.tsx'),
  },
  {
    path: '/budgets',
    title: { en: 'Budgets', ru: 'Бюджеты' },
    section: 'analytics',
    permission: 'money.read',
    load: () => import('./budgets/page.tsx'),
  },
  {
    path: '/conversations',
    title: sections.conversations.title,
    section: 'conversations',
    permission: 'conversations.read',
    load: () => import('./conversations/page.tsx'),
  },
  {
    path: '/conversations/$id',
    title: { en: 'Conversation', ru: 'Разговор' },
    section: 'conversations',
    permission: 'conversations.read',
    load: () => import('./conversation/page.tsx'),
  },
  {
    path: '/turns',
    title: sections.turns.title,
    section: 'turns',
    permission: 'conversations.read',
    load: () => import('./turns/page.tsx'),
  },
  {
    path: '/turns/$id',
    title: { en: 'Turn', ru: 'Ход' },
    section: 'turns',
    permission: 'conversations.read',
    load: () => import('./turn/page.tsx'),
  },
  {
    path: '/deliveries',
    title: sections.deliveries.title,
    section: 'deliveries',
    permission: 'deliveries.read',
    load: () => import('./deliveries/page.tsx'),
  },
  {
    path: '/log',
    title: sections.log.title,
    section: 'log',
    permission: 'log.read',
    load: () => import('./log/page.tsx'),
  },
  {
    path: '/agents',
    title: sections.agents.title,
    section: 'agents',
    permission: 'agents.read',
    load: () => import('./agents/page.tsx'),
  },
  {
    path: '/agents/$id',
    title: { en: 'Agent', ru: 'Агент' },
    section: 'agents',
    permission: 'agents.read',
    load: () => import('./agent/page.tsx'),
  },
  {
    path: '/playground',
    title: sections.playground.title,
    section: 'playground',
    permission: 'chat.use',
    load: () => import('./playground/page.tsx'),
  },
  {
    path: '/channels',
    title: sections.channels.title,
    section: 'channels',
    permission: 'channels.read',
    load: () => import('./channels/page.tsx'),
  },
  {
    path: '/channels/$name',
    title: { en: 'Channel', ru: 'Канал' },
    section: 'channels',
    permission: 'channels.read',
    load: () => import('./channel/page.tsx'),
  },
  {
    path: '/webhooks',
    title: sections.webhooks.title,
    section: 'webhooks',
    permission: 'webhooks.read',
    load: () => import('./webhooks/page.tsx'),
  },
  {
    path: '/keys',
    title: sections.keys.title,
    section: 'keys',
    permission: 'keys.read',
    load: () => import('./keys/page.tsx'),
  },
  {
    path: '/operators',
    title: { en: 'Operators', ru: 'Операторы' },
    section: 'people',
    permission: 'operators.read',
    load: () => import('./operators/page.tsx'),
  },
  {
    path: '/audit',
    title: sections.audit.title,
    section: 'audit',
    permission: 'audit.read',
    load: () => import('./audit/page.tsx'),
  },
  {
    path: '/nodes',
    title: { en: 'Nodes', ru: 'Узлы' },
    section: 'cluster',
    permission: 'nodes.read',
    load: () => import('./nodes/page.tsx'),
  },
  {
    path: '/actors',
    title: { en: 'Actors', ru: 'Акторы' },
    section: 'cluster',
    permission: 'actors.read',
    load: () => import('./actors/page.tsx'),
  },
  {
    path: '/settings',
    title: sections.settings.title,
    section: 'settings',
    permission: 'settings.read',
    load: () => import('./settings/page.tsx'),
  },
  {
    path: '/models',
    title: { en: 'Models', ru: 'Модели' },
    section: 'settings',
    permission: 'models.read',
    load: () => import('./models/page.tsx'),
  },
  {
    path: '/prices',
    title: { en: 'Prices', ru: 'Цены' },
    section: 'settings',
    permission: 'money.read',
    load: () => import('./prices/page.tsx'),
  },
  {
    path: '/retention',
    title: { en: 'Retention', ru: 'Хранение' },
    section: 'settings',
    permission: 'settings.read',
    load: () => import('./retention/page.tsx'),
  },
  {
    path: '/workspaces',
    title: { en: 'Workspaces', ru: 'Пространства' },
    permission: 'operators.read',
    load: () => import('./workspaces/page.tsx'),
  },
  {
    path: '/account',
    title: { en: 'Account', ru: 'Учётная запись' },
    permission: 'account.own',
    load: () => import('./account/page.tsx'),
  },
  {
    path: '/first-steps',
    title: { en: 'First steps', ru: 'Первые шаги' },
    permission: 'settings.write',
    load: () => import('./first-steps/page.tsx'),
  },
  {
    path: '/about',
    title: { en: 'About', ru: 'О сервисе' },
    permission: 'overview.read',
    load: () => import('./about/page.tsx'),
  },
  {
    path: '/components',
    title: { en: 'Components', ru: 'Компоненты' },
    permission: 'account.own',
    load: () => import('./components/page.tsx'),
  },
]

/** A page of one thing, whose address has a part that the list of pages does not know. */
export const isOfOneThing = ({ path }: PageEntry): boolean => path.includes('$')

/** The pages of a section that stand on their own, in order: its tabs. */
export function tabsOf(section: SectionName, may: (permission: Permission) => boolean): PageEntry[] {
  return pages.filter((page) => page.section === section && !isOfOneThing(page) && may(page.permission))
}
