/** Ids pasted whole: turn, conversation, delivery, agent, operator, key, and the request id of an error or a log line. */
import { Bot, KeyRound, ListTree, MessagesSquare, ScrollText, Send, User } from 'lucide-react'
import { ApiFailure, call } from '../api/call.ts'
import type { Permission } from '../api/session.ts'
import type { PaletteContext, PaletteItem, PaletteSource } from './palette-item.ts'

const ofKind = /^(turn|conv|dlv|agent|oper|key)_[0-9a-f]{32}$/
/** Ours are UUIDs; clients may send their own. */
const requestId = /^(?=.*\d)[\w.:-]{8,128}$/

const words = {
  turn: { en: 'Turn', ru: 'Ход' },
  conv: { en: 'Conversation', ru: 'Разговор' },
  dlv: { en: 'Delivery', ru: 'Доставка' },
  agent: { en: 'Agent', ru: 'Агент' },
  oper: { en: 'Operator', ru: 'Оператор' },
  key: { en: 'API key', ru: 'Ключ API' },
  request: { en: 'Turn of this request', ru: 'Ход этого запроса' },
  log: { en: 'Search the log', ru: 'Искать в журнале' },
} as const

export const idSource: PaletteSource = {
  key: 'ids',
  heading: { en: 'By id', ru: 'По идентификатору' },
  mark: '#',
  asks: true,
  find(query, context) {
    const kind = ofKind.exec(query)?.[1]
    if (kind !== undefined) return ofId(kind, query, context)
    return requestId.test(query) ? ofRequest(query, context) : []
  },
}

/** What is looked up is shown only when it is there; the rest is opened, and the page says what it found. */
async function ofId(kind: string, id: string, { language, may, signal }: PaletteContext): Promise<PaletteItem[]> {
  const item = (permission: Permission, of: Omit<PaletteItem, 'key' | 'hint'>): PaletteItem[] =>
    may(permission) ? [{ key: `id:${id}`, hint: id, ...of }] : []
  switch (kind) {
    case 'turn':
      if (!may('conversations.read')) return []
      if (!(await orAbsent(call('GET /v1/admin/turns/{turn_id}', { params: { turn_id: id }, signal })))) return []
      return item('conversations.read', { title: words.turn[language], icon: ListTree, path: `/turns/${id}` })
    case 'conv': {
      if (!may('conversations.read')) return []
      const params = { conversation_id: id }
      const found = await orAbsent(call('GET /v1/admin/conversations/{conversation_id}', { params, signal }))
      if (!found) return []
      const title = found.title || found.opening || words.conv[language]
      return item('conversations.read', { title, icon: MessagesSquare, path: `/conversations/${id}` })
    }
    case 'dlv':
      return item('deliveries.read', {
        title: words.dlv[language],
        icon: Send,
        path: '/deliveries',
        search: { delivery: id },
      })
    case 'agent':
      return item('agents.read', { title: words.agent[language], icon: Bot, path: `/agents/${id}` })
    case 'oper':
      return item('operators.read', {
        title: words.oper[language],
        icon: User,
        path: '/operators',
        search: { operator: id },
      })
    default:
      return item('keys.read', { title: words.key[language], icon: KeyRound, path: '/keys' })
  }
}

async function ofRequest(id: string, { language, may, signal }: PaletteContext): Promise<PaletteItem[]> {
  const turns = may('conversations.read')
    ? (await call('GET /v1/admin/turns', { query: { request_id: id, limit: 3 }, signal })).items
    : []
  const found: PaletteItem[] = turns.map((turn) => ({
    key: `request:${turn.id}`,
    title: words.request[language],
    hint: turn.id,
    icon: ListTree,
    path: `/turns/${turn.id}`,
  }))
  if (may('log.read'))
    found.push({
      key: `log:${id}`,
      title: words.log[language],
      hint: id,
      icon: ScrollText,
      path: '/log',
      search: { q: id },
    })
  return found
}

async function orAbsent<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined
    throw error
  }
}
