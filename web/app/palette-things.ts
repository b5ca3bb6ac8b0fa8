/** What the palette finds beside pages: what waits, agents, channels, models, keys, operators, conversations, settings. */
import { Bot, Cable, Clock, Cpu, KeyRound, MessagesSquare, Settings, User } from 'lucide-react'
import { call } from '../api/call.ts'
import type { Permission } from '../api/session.ts'
import { matches, type PaletteContext, type PaletteItem, type PaletteSource } from './palette-item.ts'

/** Of one kind. */
const itemsMax = 5
/** A list with more is searched on its page. */
const rowsMax = 100
/** As long as a palette is usually open. */
const staleMs = 30_000
/** Shorter ones are in everything. */
const wordLeast = 2

interface Kind<Row> {
  key: string
  heading: PaletteSource['heading']
  permission: Permission
  read(signal: AbortSignal, query: string): Promise<Row[]>
  /** What is searched of a row; without it the service searches, and its list depends on the query. */
  texts?(row: Row): string[]
  item(row: Row, context: PaletteContext): PaletteItem
}

function kind<Row>(of: Kind<Row>): PaletteSource {
  return {
    key: of.key,
    heading: of.heading,
    asks: true,
    async find(query, context) {
      if (query.length < wordLeast || !context.may(of.permission)) return []
      const rows = await context.queries.fetchQuery({
        queryKey: ['palette', of.key, of.texts ? '' : query],
        queryFn: ({ signal }) => of.read(signal, query),
        staleTime: staleMs,
        retry: false,
      })
      return rows
        .filter((row) => !of.texts || matches(query, ...of.texts(row)))
        .slice(0, itemsMax)
        .map((row) => of.item(row, context))
    },
  }
}

const query = { limit: rowsMax }

export const thingSources: readonly PaletteSource[] = [
  kind({
    key: 'agents',
    heading: { en: 'Agents', ru: 'Агенты' },
    permission: 'agents.read',
    read: async (signal, q) => (await call('GET /v1/admin/agents', { query: { limit: itemsMax, q }, signal })).items,
    item: ({ id, name, model }) => ({
      key: `agent:${id}`,
      title: name,
      hint: model,
      icon: Bot,
      path: `/agents/${id}`,
    }),
  }),
  kind({
    key: 'channels',
    heading: { en: 'Channels', ru: 'Каналы' },
    permission: 'channels.read',
    read: async (signal) => (await call('GET /v1/admin/channels', { query, signal })).items,
    texts: ({ name, adapter }) => [name, adapter],
    item: ({ id, name, adapter }) => ({
      key: `channel:${id}`,
      title: name,
      hint: adapter,
      icon: Cable,
      path: `/channels/${name}`,
    }),
  }),
  kind({
    key: 'models',
    heading: { en: 'Models', ru: 'Модели' },
    permission: 'models.read',
    read: async (signal) =>
      (await call('GET /v1/admin/models/endpoints', { signal })).items.flatMap(({ name: endpoint, models }) =>
        [endpoint, ...models].map((name) => ({ name, endpoint })),
      ),
    texts: ({ name }) => [name],
    item: ({ name, endpoint }) => ({
      key: `model:${endpoint}/${name}`,
      title: name,
      ...(name !== endpoint && { hint: endpoint }),
      icon: Cpu,
      path: '/models',
    }),
  }),
  kind({
    key: 'keys',
    heading: { en: 'API keys', ru: 'Ключи API' },
    permission: 'keys.read',
    read: async (signal) => (await call('GET /v1/admin/apikeys', { query, signal })).items,
    texts: ({ id, name, hint }) => [name, hint, id],
    item: ({ id, name, hint }) => ({
      key: `key:${id}`,
      title: name,
      hint,
      icon: KeyRound,
      path: '/keys',
      search: { open: id },
    }),
  }),
  kind({
    key: 'operators',
    heading: { en: 'Operators', ru: 'Операторы' },
    permission: 'operators.read',
    read: async (signal) => (await call('GET /v1/admin/operators', { query, signal })).items,
    texts: ({ id, name, login }) => [name, login, id],
    item: ({ id, name, login }) => ({
      key: `operator:${id}`,
      title: name || login,
      hint: login,
      icon: User,
      path: '/operators',
      search: { operator: id },
    }),
  }),
]

/** By title and the newest messages. */
export const conversationSource = kind({
  key: 'conversations',
  heading: { en: 'Conversations', ru: 'Разговоры' },
  permission: 'conversations.read',
  read: async (signal, text) =>
    (await call('GET /v1/admin/conversations', { query: { text, limit: itemsMax }, signal })).conversations,
  item: ({ id, title, opening, external_id, channel }, { language }) => ({
    key: `conversation:${id}`,
    title: title || opening || { en: 'Untitled', ru: 'Без названия' }[language],
    hint: [external_id, channel].filter((part) => part !== null).join(' · '),
    icon: MessagesSquare,
    path: `/conversations/${id}`,
  }),
})

/** By name in both languages and by key. The names are fetched with the first search: they are many. */
export const settingSource: PaletteSource = {
  key: 'settings',
  heading: { en: 'Settings', ru: 'Настройки' },
  asks: true,
  async find(query, { may, language }) {
    if (query.length < wordLeast || !may('settings.read')) return []
    const { names } = await import('../pages/settings/names.ts')
    return Object.entries(names)
      .filter(([key, [en, ru]]) => matches(query, key, en, ru))
      .slice(0, itemsMax)
      .map(([key, [en, ru]]) => ({
        key: `setting:${key}`,
        title: language === 'ru' ? ru : en,
        hint: key,
        icon: Settings,
        path: '/settings',
        search: { q: key },
      }))
  },
}

/** What waits for a person comes first, also before anything is typed. */
export const waitingSource: PaletteSource = {
  key: 'waiting',
  heading: { en: 'Waiting for you', ru: 'Ждёт вас' },
  asks: true,
  async find(query, { may, queries, language }) {
    if (!may('approvals.read')) return []
    const { items } = await queries.fetchQuery({
      queryKey: ['palette', 'waiting'],
      queryFn: ({ signal }) => call('GET /v1/admin/inbox', { query: { limit: itemsMax }, signal }),
      staleTime: staleMs / 10,
      retry: false,
    })
    const wants = { en: 'wants to call', ru: 'хочет вызвать' }[language]
    const unknown = { en: 'Outcome unknown', ru: 'Исход неизвестен' }[language]
    return items
      .map(({ kind, id, agent, tool }) => ({
        // It becomes the id of an element, and that of an unknown outcome has spaces.
        key: `waiting:${id.replaceAll(' ', '/')}`,
        title: kind === 'unknown_effect' ? `${unknown}: ${tool}` : `${agent ?? '–'} ${wants} ${tool}`,
        icon: Clock,
        path: '/approvals',
        search: { item: id },
      }))
      .filter(({ title }) => query === '' || matches(query, title))
  },
}
