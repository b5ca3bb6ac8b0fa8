/** Which tools an agent has and which its model is told of: filters, the search for those that are not told, approvals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentDefinition } from '../../../actors/agent/directory/definition.ts'
import { createToolset, matchesAny, type ToolsetRules } from '../../../actors/agent/tools/toolset.ts'
import { defineTool, type Tool } from '../../../tools/tool.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import type { RecordedRequest } from '../../support/model-endpoint.ts'
import { answer, ask, calls, makeAgent, textAndCalls, toolResults } from './support/agents.ts'
import { changeSettings, messagesOf } from './support/parts.ts'

const names = (tools: readonly Pick<Tool, 'name'>[]): string[] => tools.map(({ name }) => name)

describe('a toolset', () => {
  const tool = (name: string, description: string): Tool =>
    defineTool({
      name,
      description,
      arguments: z.object({}),
      timeoutMs: 1,
      risk: 'read',
      idempotency: 'repeatable',
      run: async () => '',
    })
  const all = [
    tool('web_fetch', 'Reads a page of the web.'),
    tool('web_search', 'Finds pages.'),
    tool('mail_send', 'Sends a mail.'),
    tool('invoice_write', 'Makes a bill, and can mail it.'),
    tool('delegate', 'Hands over.'),
    tool('tool_search', 'Finds tools.'),
  ]
  const rules: ToolsetRules = {
    approvalTools: [],
    isSearchOn: true,
    searchCore: ['web_*'],
    searchThreshold: 3,
    mayDelegate: true,
  }
  const set = (agent: object = {}, more: Partial<ToolsetRules> = {}) =>
    createToolset(all, AgentDefinition.parse(agent), { ...rules, ...more })

  test('offers only the core and the search once there are more tools than the threshold', () => {
    expect(names(set().advertised())).toEqual(['web_fetch', 'web_search', 'tool_search'])
    expect(names(set().callable())).toEqual(['web_fetch', 'web_search', 'mail_send', 'invoice_write', 'tool_search'])
    const four = ['web_fetch', 'web_search', 'mail_send', 'invoice_write']
    expect(names(set({}, { searchThreshold: 4 }).advertised())).toEqual(four)
    expect(names(set({}, { isSearchOn: false }).advertised())).toEqual(four)
  })

  test('is filtered by the agent before it is counted', () => {
    expect(names(set({ tools: ['web_*', 'mail_send'] }).advertised())).toEqual(['web_fetch', 'web_search', 'mail_send'])
    expect(names(set({ tools: ['invoice_write'] }, { searchThreshold: 0 }).advertised())).toEqual(['tool_search'])
    expect(names(set({ tools: ['invoice_write'] }, { searchThreshold: 0 }).reveal('mail'))).toEqual(['invoice_write'])
  })

  test('reveals the tools that match, names before descriptions, and the same ones when asked again', () => {
    const ours = set()
    expect(names(ours.reveal('Mail!'))).toEqual(['mail_send', 'invoice_write'])
    expect(names(ours.advertised())).toEqual(['web_fetch', 'web_search', 'tool_search', 'mail_send', 'invoice_write'])
    expect(names(ours.reveal('mail'))).toEqual(['mail_send', 'invoice_write'])
    expect(ours.reveal('page')).toEqual([])
    expect(ours.reveal('qwxz 9')).toEqual([])
    expect(ours.reveal('!?')).toEqual([])
  })

  test('reveals five at a time', () => {
    const many = Array.from({ length: 9 }, (_, at) => tool(`many_${at}`, 'One of many.'))
    const ours = createToolset([...many, ...all], AgentDefinition.parse({}), rules)
    expect(names(ours.reveal('many'))).toEqual(['many_0', 'many_1', 'many_2', 'many_3', 'many_4'])
  })

  test('has `delegate` if the agent may delegate and there is an agent to delegate to', () => {
    expect(set({ sub_agents: ['clerk'], tools: [] }).find('delegate')?.description).toBe(
      'Hands over. There are these agents: clerk.',
    )
    expect(set({ tools: ['delegate'] }).find('delegate')).toBeUndefined()
    expect(set({ sub_agents: ['clerk'] }, { mayDelegate: false }).find('delegate')).toBeUndefined()
  })

  test('knows which tools wait for an operator, for all agents and for this one', () => {
    const ours = set({ approval_tools: ['invoice_*'] }, { approvalTools: ['mail_send'] })
    expect(names(all.filter(({ name }) => ours.needsApproval(name)))).toEqual(['mail_send', 'invoice_write'])
  })

  test.each([
    ['web_fetch', 'web_*', true],
    ['web_', 'web_*', true],
    ['xweb_fetch', 'web_*', false],
    ['anything', '*', true],
    ['web_fetch', 'web', false],
    ['web_fetch', '*_fetch', false],
    ['a*c', 'a*c', true],
  ])('%s by %s: %s', (name, pattern, isMatch) => {
    expect(matchesAny(name, [pattern])).toBe(isMatch)
  })
})

describe('with tool search on', () => {
  let service: GatewayUnderTest
  beforeAll(async () => {
    service = await gatewayUnderTest({ SERVICE_TOOL_SEARCH: '1', SERVICE_TOOL_SEARCH_THRESHOLD: '2' })
    await makeAgent(service, 'clerk', { tools: ['time_now', 'calculator', 'message_user'] })
  })
  afterAll(() => service.stop())
  beforeEach(() => {
    service.endpoint.requests.length = 0
  })

  const toolsOf = ({ body }: RecordedRequest): string[] =>
    (body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name)
  const search = (query: string) => calls({ name: 'tool_search', arguments: { query } })

  test('the tools that a search finds are offered from the next step to the end of the turn, and not in the next turn', async () => {
    service.endpoint.script(search('date and time'), calls({ name: 'time_now', arguments: {} }), answer('Late.'))
    await ask(service, 'clerk', 'x')
    expect(service.endpoint.requests.map(toolsOf)).toEqual([
      ['tool_search'],
      ['tool_search', 'time_now'],
      ['tool_search', 'time_now'],
    ])
    expect(toolResults(service.endpoint.requests[1])[0]).toMatch(/^time_now: The date and time/)
    expect(messagesOf(service.endpoint.requests[0])[0].content).toContain('look for one with tool_search')
    service.endpoint.script(answer('Hi.'))
    await ask(service, 'clerk', 'x')
    expect(toolsOf(service.endpoint.requests[3] as RecordedRequest)).toEqual(['tool_search'])
  })

  test('a search that matches nothing says so and reveals nothing', async () => {
    service.endpoint.script(search('qwxz'), answer('No.'))
    await ask(service, 'clerk', 'x')
    expect(toolResults(service.endpoint.requests[1])).toEqual([
      'No further tool fits. Try other words, or one of those that are listed.',
    ])
    expect(toolsOf(service.endpoint.requests[1] as RecordedRequest)).toEqual(['tool_search'])
  })

  test('a tool that is known by name can be called without a search', async () => {
    service.endpoint.script(textAndCalls('', { name: 'time_now', arguments: {} }), answer('Late.'))
    await ask(service, 'clerk', 'x')
    expect(toolResults(service.endpoint.requests[1])[0]).toMatch(/^\d{4}-/)
  })

  test('the core is always offered, and changes with the setting', async () => {
    await changeSettings(service, { SERVICE_TOOL_SEARCH_CORE: 'time_*, nothing' })
    service.endpoint.script(answer('Hi.'))
    await ask(service, 'clerk', 'x')
    expect(toolsOf(service.endpoint.requests[0] as RecordedRequest)).toEqual(['time_now', 'tool_search'])
  })

  test('up to the threshold all tools are offered', async () => {
    await changeSettings(service, { SERVICE_TOOL_SEARCH_THRESHOLD: '3' })
    service.endpoint.script(answer('Hi.'))
    await ask(service, 'clerk', 'x')
    expect(toolsOf(service.endpoint.requests[0] as RecordedRequest).sort()).toEqual([
      'calculator',
      'message_user',
      'time_now',
    ])
  })
})
