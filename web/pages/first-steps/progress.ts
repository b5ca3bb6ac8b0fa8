/** The progress of the first steps, read from the service. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import type { Answer } from '../../api/types.ts'

export const stepNames = ['model', 'chat', 'channel'] as const
export type StepName = (typeof stepNames)[number]

export type Setting = Answer<'GET /v1/admin/settings'>['items'][number]

export interface Progress {
  isDone: Record<StepName, boolean>
  settings: ReadonlyMap<string, Setting>
  /** A generic channel with a bound sender; undefined: there is none yet. */
  ready: { channel: string; sender: string } | undefined
}

/** Only the first channels are checked: an installation with more is past the first steps. */
const channelsMax = 20

export const progressKey = ['first-steps'] as const

export function useProgress(): { progress: Progress | undefined; error: unknown; refetch(): void } {
  const query = useQuery({ queryKey: progressKey, queryFn: ({ signal }) => readProgress(signal) })
  useRefreshOn(['settings.changed', 'turn.completed'], progressKey)
  return { progress: query.data, error: query.error, refetch: () => void query.refetch() }
}

async function readProgress(signal: AbortSignal): Promise<Progress> {
  const [settings, turns, channels] = await Promise.all([
    call('GET /v1/admin/settings', { signal }),
    call('GET /v1/admin/turns', { query: { status: 'completed', limit: 1 }, signal }),
    call('GET /v1/admin/channels', { query: { limit: 100 }, signal }),
  ])
  const byKey = new Map(settings.items.map((item) => [item.key, item]))
  const conversations = await Promise.all(
    channels.items.slice(0, channelsMax).map(({ name }) => firstConversation(name, signal)),
  )
  return {
    isDone: {
      model: settings.has_model,
      chat: turns.items.length > 0,
      channel: conversations.some((conversation) => conversation !== undefined),
    },
    settings: byKey,
    ready: await readyAmong(
      channels.items.filter(({ adapter }) => adapter === 'generic').map(({ name }) => name),
      signal,
    ),
  }
}

/** The built-in channel has no bindings, so it does not count as ready. */
async function readyAmong(names: readonly string[], signal: AbortSignal): Promise<Progress['ready']> {
  const bound = await Promise.all(
    names.slice(0, channelsMax).map(async (channel) => {
      const input = { params: { name: channel }, query: { limit: 1 }, signal }
      const { items } = await call('GET /v1/admin/channels/{name}/bindings', input)
      return items.map(({ external_id: sender }) => ({ channel, sender }))
    }),
  )
  return bound.flat()[0]
}

/** Undefined: the channel has no messages yet. */
export async function firstConversation(channel: string, signal: AbortSignal) {
  const query = { channel, limit: 1 }
  return (await call('GET /v1/admin/conversations', { query, signal })).conversations[0]
}
