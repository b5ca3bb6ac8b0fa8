/** Creates the sample data through the API: agents, channels, conversations, approvals, keys, operators. */
import { setTimeout as wait } from 'node:timers/promises'
import { dialogs } from './dialogs.ts'
import type { Operator, Service } from './service.ts'

/** The ids for pages of one thing. */
export interface Seeded {
  agent: string
  conversation: string
  turn: string
}

interface Listed {
  items: Record<string, string>[]
}

const settledWithinMs = 60_000
const pollMs = 200

export async function seed(service: Service, operator: Operator, host: string): Promise<Seeded> {
  const agent = await makeAgents(operator)
  await makeChannels(operator, host)
  const conversations = await converse(service, operator)
  await decide(operator)
  await makePeopleAndKeys(operator)
  const conversation = conversations[0] ?? ''
  const turns = (await operator.get(`/v1/admin/turns?limit=50`)) as unknown as Listed
  const turn = turns.items.filter(({ conversation_id }) => conversation_id === conversation)[0]?.['id'] ?? ''
  await rateAnAnswer(operator, conversation)
  return { agent, conversation, turn }
}

async function makeAgents(operator: Operator): Promise<string> {
  const make = (name: string, definition: object) => operator.post('/v1/admin/agents', { name, definition })
  await make('billing', {
    instructions: 'You know the invoices. Answer with sums and dates only.',
    tools: ['http_request'],
  })
  await make('payments', {
    instructions: 'You pay money back when there is reason to.',
    approval_tools: ['http_request'],
  })
  const tools = ['http_request', 'calculator', 'time_now', 'delegate']
  const first = { instructions: 'You answer customers of a lamp shop. Be brief and friendly.', tools }
  const created = (await make('support', first)) as { id: string; version: number }
  const changed = `${first.instructions}\nSay when a parcel arrives, with the day and the hours.\nHand questions about invoices to billing.`
  const definition = {
    ...first,
    instructions: changed,
    persona: 'Calm, exact, never pushy.',
    sub_agents: ['billing'],
    temperature: 0.3,
  }
  await operator.post('/v1/admin/agents/update', { agent_id: created.id, version: created.version, definition })
  return created.id
}

async function makeChannels(operator: Operator, host: string): Promise<void> {
  const make = (name: string, path: string, agent: string) =>
    operator.post('/v1/admin/channels', {
      name,
      adapter: 'generic',
      config: { url: `http://${host}${path}` },
      policy: { agent },
    })
  await make('shop', '/answers', 'support')
  await make('magazin', '/answers', 'support')
  await make('partners', '/busy', 'payments')
  await make('archive', '/gone', 'support')
  await make('refunds', '/answers', 'payments')
  const customer = { external_id: 'anna@example.com', name: 'Anna Keller', role: 'user' }
  await operator.post('/v1/admin/channels/shop/bindings', customer)
}

async function converse({ apiUrl, key }: Service, operator: Operator): Promise<string[]> {
  const conversations: string[] = []
  for (const { text, from, folder, tags } of dialogs) {
    if (!from) continue
    const response = await fetch(`${apiUrl}/v1/inbound/${from.channel}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ external_id: from.sender, sender_name: from.name, text }),
    })
    const accepted = (await response.json()) as { conversation_id?: string }
    if (!accepted.conversation_id) throw new Error(`not accepted: ${response.status} ${JSON.stringify(accepted)}`)
    conversations.push(accepted.conversation_id)
    await settled(operator)
    if (folder || tags)
      await operator.post('/v1/admin/conversations/organize', {
        conversation_id: accepted.conversation_id,
        folder,
        tags,
      })
  }
  return conversations
}

/** Waits until no turn is queued or running; turns that wait for an operator may remain. */
async function settled(operator: Operator): Promise<void> {
  const untilMs = Date.now() + settledWithinMs
  while (Date.now() < untilMs) {
    await wait(pollMs)
    const { items } = (await operator.get('/v1/admin/turns?limit=50')) as unknown as Listed
    if (items.every(({ status }) => status !== 'queued' && status !== 'running')) return
  }
  throw new Error('turns did not come to an end')
}

/** Approves one and refuses one; the others stay pending for the page. */
async function decide(operator: Operator): Promise<void> {
  const { items } = (await operator.get('/v1/admin/approvals?status=pending')) as unknown as Listed
  const decision = (order: number, decision: object) => {
    const approval = items.find((item) => JSON.stringify(item['arguments']).includes(`${order}`))
    if (!approval) throw new Error(`no call on order ${order} waits`)
    return operator.post('/v1/admin/approvals/decide', { approval_id: approval['id'], ...decision })
  }
  await decision(1025, { decision: 'approve' })
  await decision(1019, { decision: 'refuse', reason: 'There was no bonus in the third quarter.' })
  await settled(operator)
}

async function rateAnAnswer(operator: Operator, conversation: string): Promise<void> {
  const { messages } = (await operator.get(`/v1/admin/conversations/messages?id=${conversation}`)) as unknown as {
    messages: Record<string, string>[]
  }
  const answer = messages.find(({ role }) => role === 'assistant')?.['id']
  if (answer) await operator.post('/v1/admin/conversations/feedback', { message_id: answer, rating: 1 })
}

async function makePeopleAndKeys(operator: Operator): Promise<void> {
  const people = [
    ['boris', 'Борис Ким', 'admin'],
    ['vera', 'Vera Novak', 'operator'],
    ['tom', 'Tom Okafor', 'auditor'],
  ]
  for (const [login, name, role] of people)
    await operator.post('/v1/admin/operators', { login, name, role, password: 'a long enough password' })
  const make = (key: object) => operator.post('/v1/admin/apikeys', key)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  await make({ name: 'web shop', scopes: ['chat'], rate_limit_rpm: 600, allowed_ips: ['192.0.2.0/24'] })
  await make({ name: 'reports', scopes: ['admin:read'], expires_at: inDays(90) })
  const old = (await make({ name: 'old monitoring', scopes: ['admin:read'] })) as { id: string }
  await operator.post('/v1/admin/apikeys/revoke', { id: old.id })
}
