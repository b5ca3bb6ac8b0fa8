/** Data for every page: an agent, a channel with deliveries, a stored conversation, a turn with steps, a pending approval. */
import { expect } from 'vitest'
import { firstWorkspaceId, type TurnId, uuidOf } from '../../../store/id.ts'
import { answer, calls } from '../../actors/turn/support/agents.ts'
import { until } from '../../support/gateway.ts'
import type { UiUnderTest } from './signed-in.ts'

/** The settings that the seed needs. */
export const seededEnvironment = {
  SERVICE_APPROVAL_TOOLS: 'http_request',
  SERVICE_HTTP_ALLOWLIST: '127.0.0.1:9',
  SERVICE_INBOUND_REQUIRE_BINDING: 'false',
  SERVICE_LLM_MODEL: 'scripted-1',
  SERVICE_MODERATION: 'off',
}

/** The addresses of the created things. */
export interface Seeded {
  agent: string
  channel: string
  conversation: string
  turn: string
}

/** The address of a page; pages of one thing show the seeded one. */
export function addressOf(path: string, { agent, channel, conversation, turn }: Seeded): string {
  const ofOne: Record<string, string> = {
    '/agents/$id': agent,
    '/channels/$name': channel,
    '/conversations/$id': conversation,
    '/turns/$id': turn,
  }
  return ofOne[path] ?? path
}

export async function seed({ service, owner }: UiUnderTest): Promise<Seeded> {
  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const { status, body: answered } = await owner.post(path, body)
    expect(status, `${path}: ${JSON.stringify(answered)}`).toBeLessThan(300)
    return answered
  }
  const agent = await post('/v1/admin/agents', {
    name: 'support',
    definition: { instructions: 'You answer customers of a lamp shop.', tools: ['http_request', 'calculator'] },
  })
  // Nothing listens there, so that a delivery stays pending.
  await post('/v1/admin/channels', { name: 'shop', adapter: 'generic', config: { url: 'http://127.0.0.1:9/answers' } })
  await post('/v1/admin/channels/shop/bindings', { external_id: 'anna', name: 'Anna Keller', role: 'user' })
  await post('/v1/admin/apikeys', { name: 'web shop', scopes: ['chat'], rate_limit_rpm: 600 })
  service.endpoint.script(
    answer('On its way.'),
    calls({
      name: 'http_request',
      arguments: { method: 'POST', url: 'http://127.0.0.1:9/refunds', body: '{"order":7}' },
    }),
  )
  for (const [sender, text] of [
    ['anna', 'Where is my order 1042?'],
    ['boris', 'My money back, please.'],
  ]) {
    const response = await service.post('/v1/inbound/shop', { external_id: sender, text })
    expect(response.status).toBe(202)
    await service.endpoint.until(() => JSON.stringify(service.endpoint.requests).includes(text ?? ''))
  }
  await until(async () => items(await owner.get('/v1/admin/approvals?status=pending')).length === 1)
  await until(async () => items(await owner.get('/v1/admin/deliveries')).length === 1)
  const turns = items(await owner.get('/v1/admin/turns'))
  const turn = turns.find(({ status }) => status === 'completed')
  await withSteps(service.db, turn?.['id'] as TurnId)
  return {
    agent: `/agents/${agent['id']}`,
    channel: '/channels/shop',
    conversation: `/conversations/${turn?.['conversation_id']}`,
    turn: `/turns/${turn?.['id']}`,
  }
}

const items = ({ body }: { body: Record<string, unknown> }) => body['items'] as Record<string, unknown>[]

async function withSteps({ system }: UiUnderTest['service']['db'], turn: TurnId): Promise<void> {
  await system`
    insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, digest, request, result, prompt_tokens,
      completion_tokens, error_code, started_at, duration_ms)
    select ${uuidOf(turn)}::uuid, path, n, ${uuidOf(firstWorkspaceId)}::uuid, kind, status, name, gen_random_uuid(), '{"sum": 12}'::json,
      '"done"'::json, 21, 7, error, now() + n * interval '100 milliseconds', 90
    from (values
      ('', 7, 'tool', 'unknown', 'pay', null),
      ('helper', 0, 'model', 'succeeded', 'small-model', null),
      ('helper', 1, 'tool', 'failed', 'look_up', 'not_found')
    ) as made (path, n, kind, status, name, error)`
}
