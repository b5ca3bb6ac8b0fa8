/** Every page with its permission and its place in the menu. A page is a folder and an entry here; there are no other routes. */
import type { LucideIcon } from 'lucide-react'
import {
  Activity,
  Bot,
  Building2,
  Cable,
  Cpu,
  FlaskConical,
  Info,
  KeyRound,
  LayoutDashboard,
  MessagesSquare,
  Repeat2,
  ScrollText,
  Send,
  Server,
  Settings,
  ShieldQuestion,
  Terminal,
  Users,
} from 'lucide-react'
import type { ComponentType } from 'react'
import type { Permission } from '../api/session.ts'

export interface PageEntry {
  /** As in `/conversations/$id`. */
  path: string
  /** The entry in the menu; pages without one are linked from other pages. */
  menu?: { group: MenuGroup; title: { en: string; ru: string }; icon: LucideIcon }
  permission: Permission
  load(): Promise<{ default: ComponentType }>
}

export type MenuGroup = 'monitor' | 'conversations' | 'build' | 'administer'

export const menuGroups: Record<MenuGroup, { en: string; ru: string }> = {
  monitor: { en: 'Monitor', ru: 'Мониторинг' },
  conversations: { en: 'Conversations', ru: 'Разговоры' },
  build: { en: 'Build', ru: 'Разработка' },
  administer: { en: 'Administer', ru: 'Управление' },
}

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    menu: { group: 'monitor', title: { en: 'Overview', ru: 'Обзор' }, icon: LayoutDashboard },
    permission: 'overview.read',
    load: () => import('./overview/page.tsx'),
  },
  {
    path: '/settings',
    menu: { group: 'administer', title: { en: 'Settings', ru: 'Настройки' }, icon: Settings },
    permission: 'settings.read',
    load: () => import('./settings/page.tsx'),
  },
  {
    path: '/models',
    menu: { group: 'administer', title: { en: 'Models', ru: 'Модели' }, icon: Cpu },
    permission: 'models.read',
    load: () => import('./models/page.tsx'),
  },
  {
    path: '/agents',
    menu: { group: 'build', title: { en: 'Agents', ru: 'Агенты' }, icon: Bot },
    permission: 'agents.read',
    load: () => import('./agents/page.tsx'),
  },
  { path: '/agents/$id', permission: 'agents.read', load: () => import('./agent/page.tsx') },
  {
    path: '/channels',
    menu: { group: 'build', title: { en: 'Channels', ru: 'Каналы' }, icon: Cable },
    permission: 'channels.read',
    load: () => import('./channels/page.tsx'),
  },
  { path: '/channels/$name', permission: 'channels.read', load: () => import('./channel/page.tsx') },
  {
    path: '/deliveries',
    menu: { group: 'monitor', title: { en: 'Deliveries', ru: 'Доставки' }, icon: Send },
    permission: 'deliveries.read',
    load: () => import('./deliveries/page.tsx'),
  },
  {
    path: '/conversations',
    menu: { group: 'conversations', title: { en: 'Conversations', ru: 'Разговоры' }, icon: MessagesSquare },
    permission: 'conversations.read',
    load: () => import('./conversations/page.tsx'),
  },
  { path: '/conversations/$id', permission: 'conversations.read', load: () => import('./conversation/page.tsx') },
  {
    path: '/turns',
    menu: { group: 'conversations', title: { en: 'Turns', ru: 'Ходы' }, icon: Repeat2 },
    permission: 'conversations.read',
    load: () => import('./turns/page.tsx'),
  },
  { path: '/turns/$id', permission: 'conversations.read', load: () => import('./turn/page.tsx') },
  {
    path: '/keys',
    menu: { group: 'administer', title: { en: 'API keys', ru: 'Ключи API' }, icon: KeyRound },
    permission: 'keys.read',
    load: () => import('./keys/page.tsx'),
  },
  {
    path: '/operators',
    menu: { group: 'administer', title: { en: 'Operators', ru: 'Операторы' }, icon: Users },
    permission: 'operators.read',
    load: () => import('./operators/page.tsx'),
  },
  {
    path: '/workspaces',
    menu: { group: 'administer', title: { en: 'Workspaces', ru: 'Пространства' }, icon: Building2 },
    permission: 'operators.read',
    load: () => import('./workspaces/page.tsx'),
  },
  {
    path: '/audit',
    menu: { group: 'administer', title: { en: 'Audit log', ru: 'Журнал аудита' }, icon: ScrollText },
    permission: 'audit.read',
    load: () => import('./audit/page.tsx'),
  },
  { path: '/account', permission: 'account.own', load: () => import('./account/page.tsx') },
  {
    path: '/playground',
    menu: { group: 'conversations', title: { en: 'Playground', ru: 'Песочница' }, icon: FlaskConical },
    permission: 'chat.use',
    load: () => import('./playground/page.tsx'),
  },
  {
    path: '/approvals',
    menu: { group: 'conversations', title: { en: 'Approvals', ru: 'Согласования' }, icon: ShieldQuestion },
    permission: 'approvals.read',
    load: () => import('./approvals/page.tsx'),
  },
  { path: '/first-steps', permission: 'settings.write', load: () => import('./first-steps/page.tsx') },
  {
    path: '/log',
    menu: { group: 'monitor', title: { en: 'Log', ru: 'Журнал' }, icon: Terminal },
    permission: 'log.read',
    load: () => import('./log/page.tsx'),
  },
  {
    path: '/actors',
    menu: { group: 'monitor', title: { en: 'Actors', ru: 'Акторы' }, icon: Activity },
    permission: 'actors.read',
    load: () => import('./actors/page.tsx'),
  },
  {
    path: '/nodes',
    menu: { group: 'monitor', title: { en: 'Nodes', ru: 'Узлы' }, icon: Server },
    permission: 'nodes.read',
    load: () => import('./nodes/page.tsx'),
  },
  {
    path: '/about',
    menu: { group: 'administer', title: { en: 'About', ru: 'О сервисе' }, icon: Info },
    permission: 'overview.read',
    load: () => import('./about/page.tsx'),
  },
]
