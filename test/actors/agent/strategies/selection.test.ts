/** The way of a turn: of the settings at first, of its own steps once it has any. */
import { expect, test } from 'vitest'
import { selectStrategies } from '../../../../actors/agent/strategies/selection.ts'
import { openSettings } from '../../../../config/settings.ts'

const settings = (environment: Record<string, string>) => openSettings({ environment, stored: new Map() })
const shape = (environment: Record<string, string>, ...paths: string[]) =>
  selectStrategies(
    settings(environment),
    paths.map((path) => ({ path })),
  )

const best = { SERVICE_AGENT_BEST_OF_N: '3' }
const debate = { SERVICE_AGENT_DEBATE_N: '2', SERVICE_AGENT_DEBATE_ROUNDS: '2' }
const plan = { SERVICE_AGENT_PLAN_STEPS: '4' }

test('a turn without steps goes the way of the settings, a summary says nothing of it', () => {
  expect(shape({ ...best, ...plan, SERVICE_AGENT_REFLECT: '1' })).toEqual({
    ...{ planSteps: 4, best: 3, debaters: 0, rounds: 1, reflects: true },
  })
  expect(shape({ ...best, ...debate }, 'summary')).toMatchObject({ best: 0, debaters: 2, rounds: 2 })
})

test.each([
  ['plain', { ...best, ...plan }, ['', '1', '1/101'], { planSteps: 0, best: 0, debaters: 0 }],
  ['of a sub-agent alone', best, ['1'], { best: 0 }],
  ['the best of three', debate, ['best-1', 'best-3', 'best-3/1'], { best: 3, debaters: 0 }],
  ['a debate in its second round', best, ['debate-1-2', 'debate-2-1'], { best: 0, debaters: 2, rounds: 2 }],
  ['a plan', best, ['plan', 'step-1', 'step-1/1'], { planSteps: 100, best: 3 }],
  [
    'a plan whose bound was lowered',
    { ...plan, SERVICE_AGENT_PLAN_STEPS: '3' },
    ['plan', 'step-8/1'],
    { planSteps: 8 },
  ],
  ['a plan whose bound was raised', plan, ['plan', 'step-1', 'step-2'], { planSteps: 4 }],
  ['the answer of a plan', best, ['plan', 'step-1', 'answer', 'answer/1'], { planSteps: 100, best: 0 }],
  ['the best of two after a plan', {}, ['plan', 'step-1', 'answer/best-2'], { planSteps: 100, best: 2 }],
  ['a reflection', {}, ['', 'reflect'], { reflects: true, best: 0 }],
])('one that was begun as %s goes on so', (_, environment, paths, wanted) => {
  expect(shape(environment as Record<string, string>, ...(paths as string[]))).toMatchObject(wanted)
})
