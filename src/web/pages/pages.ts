/** Every page: one entry a page, and what it takes to see it. What is not here is not reachable. */
import type { LucideIcon } from 'lucide-react'
import { LayoutDashboard } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Permission } from '../api/session.ts'

export interface PageEntry {
  /** As in `/conversations/$id`. */
  path: string
  /** In the menu; a page without one is reached from another. */
  menu?: { group: MenuGroup; title: { en: string; ru: string }; icon: LucideIcon }
  permission: Permission
  load(): Promise<{ default: ComponentType }>
}

export type MenuGroup = 'watch' | 'talk' | 'build' | 'govern'

export const menuGroups: Record<MenuGroup, { en: string; ru: string }> = {
  watch: { en: 'Watch', ru: 'Наблюдение' },
  talk: { en: 'Conversations', ru: 'Разговоры' },
  build: { en: 'Build', ru: 'Настройка' },
  govern: { en: 'Govern', ru: 'Управление' },
}

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    menu: { group: 'watch', title: { en: 'Overview', ru: 'Обзор' }, icon: LayoutDashboard },
    permission: 'overview.read',
    load: () => import('./overview/page.tsx'),
  },
]
