/** A sub-agent that is resumed reads its earlier steps from the store: what happens where that fails. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { GatewayOptions } from '../../../gateway/gateway.ts'
import { DatabaseDown } from '../../../store/errors.ts'
import { stepsOf } from '../../../store/turns/steps.ts'
import { type Supervised, supervised } from '../approvals/support/supervised.ts'
import { answer, calls, makeAgent, toolResults } from '../turn/support/agents.ts'

/** For each read of a turn's steps from now on: the failure of it, or none. */
const failures: (Error | undefined)[] = []

const replaced = {
  async stepsOf(...args) {
    const failure = failures.shift()
    if (failure) throw failure
    return await stepsOf(...args)
  },
} satisfies GatewayOptions['replaced']

let our: Supervised
beforeAll(async () => {
  our = await supervised({}, { replaced })
  await makeAgent(our.service, 'head', { sub_agents: ['helper'], tools: [] })
  await makeAgent(our.service, 'helper', { tools: ['http_request'] })
  await our.makeChannel('office', { agent: 'head' })
})
afterAll(() => our.stop())
afterEach(() => {
  failures.length = 0
  our.effects.made.length = 0
  our.service.endpoint.requests.length = 0
})

/** A turn whose sub-agent waits for an operator. */
async function pausedTurn(sender: string) {
  const handOver = calls({ name: 'delegate', arguments: { agent: 'helper', task: 'Order it' } })
  our.service.endpoint.script(handOver, calls(our.effect(`/${sender}`)))
  const conversation = await our.say('office', sender, 'Have it ordered')
  const [approval] = await our.pending()
  await our.turns(conversation, ['waiting'])
  return { conversation, approvalId: approval.id as string }
}

test('an outage is waited for, and the sub-agent goes on where it was', async () => {
  const { conversation, approvalId } = await pausedTurn('anna')
  // The turn reads its steps first.
  failures.push(undefined, new DatabaseDown('the database is away'))
  our.service.endpoint.script(answer('Ordered.'), answer('It is ordered.'))
  await our.decide(approvalId, 'approve')
  await our.turns(conversation, ['completed'])
  expect(failures).toEqual([])
  expect(our.effects.made).toEqual(['/anna'])
  expect(toolResults(our.service.endpoint.requests[3])).toEqual(['Ordered.'])
  expect(await our.said(conversation)).toEqual(['Have it ordered', 'It is ordered.'])
})

test('a defect fails the sub-agent without repeating its work, and the agent above it is told so', async () => {
  const { conversation, approvalId } = await pausedTurn('ben')
  failures.push(undefined, new Error('a defect of the store'))
  our.service.endpoint.script(answer('It could not be ordered.'))
  await our.decide(approvalId, 'approve')
  await our.turns(conversation, ['completed'])
  expect(our.effects.made).toEqual([])
  const [result] = toolResults(our.service.endpoint.requests[2])
  expect(result).toContain('The agent helper failed for a reason of the service’s own.')
  expect(await our.said(conversation)).toEqual(['Have it ordered', 'It could not be ordered.'])
})
