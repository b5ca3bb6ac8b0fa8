/** What budgets can be of, by name: keys, operators and agents, as far as the role may see them. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { type TurnOrigin, turnOriginText } from '../../parts/turn-origin.ts'
import { useText } from '../../text/text.ts'
import type { Budget, Subject } from './budget.ts'
import { budgetsText } from './text.ts'

interface Choice {
  value: string
  label: string
}

/** More are not offered: one of them is typed by its id. */
const pagesMax = 5
const staleMs = 60_000

type List = (cursor: string | undefined, signal: AbortSignal) => Promise<{ choices: Choice[]; next: string | null }>

function useChoices(name: string, isEnabled: boolean, list: List): Choice[] {
  const { data } = useQuery({
    queryKey: ['budget-subjects', name],
    queryFn: async ({ signal }) => {
      const found: Choice[] = []
      let cursor: string | undefined
      for (let page = 0; page < pagesMax; page += 1) {
        const { choices, next } = await list(cursor, signal)
        found.push(...choices)
        if (next === null) return found
        cursor = next
      }
      return []
    },
    staleTime: staleMs,
    enabled: isEnabled,
  })
  return data ?? []
}

const pageOf = (cursor: string | undefined) => ({ limit: 200, ...(cursor !== undefined && { cursor }) })

export function useSubjects() {
  const t = useText(budgetsText)
  const origin = useText(turnOriginText)
  const { may } = useSession()
  const keys = useChoices('keys', may('keys.read'), async (cursor, signal) => {
    const page = await call('GET /v1/admin/apikeys', { query: pageOf(cursor), signal })
    return { choices: page.items.map(({ id, name }) => ({ value: id, label: name })), next: page.next_cursor }
  })
  const operators = useChoices('operators', may('operators.read'), async (cursor, signal) => {
    const page = await call('GET /v1/admin/operators', { query: pageOf(cursor), signal })
    const choices = page.items.map(({ id, login, name }) => ({ value: id, label: name || login }))
    return { choices, next: page.next_cursor }
  })
  const agents = useChoices('agents', may('agents.read'), async (cursor, signal) => {
    const page = await call('GET /v1/admin/agents', { query: pageOf(cursor), signal })
    return { choices: page.items.map(({ name }) => ({ value: name, label: name })), next: page.next_cursor }
  })
  const choices: Record<Subject, readonly Choice[]> = {
    workspace: [],
    key: keys,
    operator: operators,
    agent: agents,
    origin: (Object.keys(turnOriginText.en) as TurnOrigin[]).map((value) => ({ value, label: origin(value) })),
  }
  const nameOf = ({ subject, value }: Pick<Budget, 'subject' | 'value'>): string =>
    subject === 'workspace' || value === null
      ? t('workspace')
      : (choices[subject].find((one) => one.value === value)?.label ?? value)
  return { choices, nameOf }
}
