/** What tests of an agent's strategies share: a model that answers by what part it is given, live settings, steps, streams. */
import { expect } from 'vitest'
import type { SettingKey } from '../../../../config/settings.ts'
import { storeSetting, unstoreSetting } from '../../../../store/settings/live-settings.ts'
import { readSettings } from '../../../../store/settings/settings.ts'
import { eventsOf, type GatewayUnderTest } from '../../../support/gateway.ts'
import { failure, type RecordedRequest, type ScriptedAnswer } from '../../../support/model-endpoint.ts'

export type Part = 'judge' | 'debate-judge' | 'plan' | 'critic' | 'revise' | 'step' | 'synthesis' | 'act' | 'answer'

/** By the words in which the strategies ask; `OVERRIDE judge` is what the tests' own prompts begin with. */
export function partOf({ body }: RecordedRequest): Part {
  const system = String(body.messages[0]?.content)
  const last = String(body.messages.findLast(({ role }: { role: string }) => role === 'user')?.content)
  const overridden = /^OVERRIDE (\S+)/.exec(system)?.[1]
  if (overridden !== undefined) return overridden as Part
  if (system.startsWith('You judge answers')) return 'judge'
  if (system.startsWith('You have read a debate')) return 'debate-judge'
  if (system.startsWith('Divide the work')) return 'plan'
  if (last === 'Criticise the draft.') return 'critic'
  if (last.startsWith('Criticism of the draft:')) return 'revise'
  if (last.startsWith('You work on one step')) return 'step'
  if (last.startsWith('This answer was chosen')) return 'act'
  if (last.startsWith('The steps of a plan')) return 'synthesis'
  return 'answer'
}

/** Each part gets its answers in order; one that has none left fails with its name. */
export function scriptParts({ endpoint }: GatewayUnderTest, answers: Partial<Record<Part, ScriptedAnswer[]>>): void {
  endpoint.requests.length = 0
  endpoint.always((call) => {
    const part = partOf(call.request)
    const next = answers[part]?.shift() ?? failure(400, `nothing is scripted for ${part}`)
    return next(call)
  })
}

export const requestsOfPart = ({ endpoint }: GatewayUnderTest, part: Part): RecordedRequest[] =>
  endpoint.requests.filter((request) => partOf(request) === part)

// biome-ignore lint/suspicious/noExplicitAny: messages as the model was told them
export const messagesOf = (request: RecordedRequest | undefined): any[] => request?.body.messages ?? []

/** Roles and contents behind the system message. */
export const conversationOf = (request: RecordedRequest | undefined): string[] =>
  messagesOf(request)
    .slice(1)
    .map(({ role, content }) => `${role}: ${content}`)

const noKey = () => {
  throw new Error('no secret is stored here')
}

/** Stores live settings and waits until they count; blank: as if never stored. */
export async function changeSettings(
  service: GatewayUnderTest,
  values: Partial<Record<SettingKey, string>>,
): Promise<void> {
  const stored = await readSettings(service.db)
  for (const [key, value] of Object.entries(values) as [SettingKey, string][]) {
    if ((stored.get(key)?.value ?? '') === value) continue
    const effectCount = () => service.lines.filter((line) => tookEffect(line, key)).length
    const before = effectCount()
    if (value !== '') await storeSetting(service.db, noKey, key, value, 'test')
    else await unstoreSetting(service.db, key)
    await expect.poll(effectCount, { interval: 2 }).toBeGreaterThan(before)
  }
}

function tookEffect(line: unknown, key: string): boolean {
  const text = JSON.stringify(line)
  return text.includes('settings took effect') && text.includes(`"${key}"`)
}

export interface StreamedAnswer {
  /** Everything in the order in which it came: comments as they are, words as texts. */
  order: string[]
  comments: string[]
  text: string
  finish: string | null
  toolCalls: object[]
  isDone: boolean
}

/** A streamed answer, read to its end. */
export async function streamed(
  service: GatewayUnderTest,
  agent: string,
  text: string,
  more: object = {},
): Promise<StreamedAnswer> {
  const messages = [{ role: 'user', content: text }]
  const response = await service.post('/v1/chat/completions', { model: agent, messages, stream: true, ...more })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return parseStream(await response.text())
}

export function parseStream(raw: string): StreamedAnswer {
  const events = eventsOf(raw)
  const choices = events.filter((event) => event !== '[DONE]').flatMap((event) => JSON.parse(event).choices ?? [])
  const words = choices.map(({ delta }) => delta.content ?? '').filter((content) => content !== '')
  const comments = raw.split('\n\n').filter((event) => event.startsWith(': '))
  return {
    order: orderOf(raw),
    comments,
    text: words.join(''),
    finish: choices.map(({ finish_reason }) => finish_reason).find((reason) => reason) ?? null,
    toolCalls: choices.flatMap(({ delta }) => delta.tool_calls ?? []),
    isDone: events.at(-1) === '[DONE]',
  }
}

/** Comments one by one; words that follow each other are one text, however they were cut. */
function orderOf(raw: string): string[] {
  const order: string[] = []
  for (const event of raw.split('\n\n')) {
    if (event.startsWith(': ')) order.push(event)
    const content = event.startsWith('data: {') && JSON.parse(event.slice(6)).choices?.[0]?.delta.content
    if (!content) continue
    if (order.at(-1)?.startsWith(': ') === false) order.push(`${order.pop()}${content}`)
    else order.push(content)
  }
  return order
}

export interface ListedStep {
  path: string
  n: number
  kind: string
  status: string
  name: string
  error_code: string | null
  prompt_tokens: number | null
  completion_tokens: number | null
  // biome-ignore lint/suspicious/noExplicitAny: whatever the step returned
  result: any
}

export async function lastTurn({ db }: GatewayUnderTest): Promise<{ id: string; status: string }> {
  const [turn] = await db.system<{ id: string; status: string }>`
    select id, status from turns order by started_at desc limit 1`
  if (!turn) throw new Error('there is no turn')
  return { id: `turn_${turn.id.replaceAll('-', '')}`, status: turn.status }
}

/** Of the turn that began last, over the API. */
export async function lastSteps(service: GatewayUnderTest): Promise<ListedStep[]> {
  const { id } = await lastTurn(service)
  const listed = await service.get(`/v1/admin/turns/steps?turn_id=${id}&limit=500`)
  return ((await listed.json()) as { items: ListedStep[] }).items
}

export const placesOf = (steps: readonly ListedStep[]): string[] =>
  steps.map(({ path, n, kind, name }) => `${path}#${n} ${kind === 'tool' ? name : kind}`).sort()
