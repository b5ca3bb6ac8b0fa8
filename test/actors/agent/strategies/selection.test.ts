/** The strategies of a turn: those of the settings at first, those of its own steps once it has any. */
import { expect, test } from 'vitest'
import { selectStrategies } from '../../../../actors/agent/strategies/selection.ts'
import { openSettings } from '../../../../config/settings.ts'

const settings = (environment: Record<string, string>) => openSettings({ environment, stored: new Map() })
const selection = (environment: Record<string, string>, ...paths: string[]) =>
  selectStrategies(
    settings(environment),
    paths.map((path) => ({ path })),
  )

const best = { SERVICE_AGENT_BEST_OF_N: '3' }
const debate = { SERVICE_AGENT_DEBATE_N: '2', SERVICE_AGENT_DEBATE_ROUNDS: '2' }
const plan = { SERVICE_AGENT_PLAN_STEPS: '4' }

test('a turn without steps uses the strategies of the settings; a summary says nothing of them', () => {
  expect(selection({ ...best, ...plan, SERVICE_AGENT_REFLECT: '1' })).toEqual({
    planSteps: 4,
    candidates: 3,
    debaters: 0,
    rounds: 1,
    reflects: true,
  })
  expect(selection({ ...best, ...debate }, 'summary')).toMatchObject({ candidates: 0, debaters: 2, rounds: 2 })
})

test.each([
  ['plain', { ...best, ...plan }, ['', '1', '1/101'], { planSteps: 0, candidates: 0, debaters: 0 }],
  ['of a sub-agent alone', best, ['1'], { candidates: 0 }],
  ['the best of three', debate, ['best-1', 'best-3', 'best-3/1'], { candidates: 3, debaters: 0 }],
  ['a debate in its second round', best, ['debate-1-2', 'debate-2-1'], { candidates: 0, debaters: 2, rounds: 2 }],
  ['a plan', best, ['plan', 'step-1', 'step-1/1'], { planSteps: 100, candidates: 3 }],
  [
    'a plan whose bound was lowered',
    { ...plan, SERVICE_AGENT_PLAN_STEPS: '3' },
    ['plan', 'step-8/1'],
    { planSteps: 8 },
  ],
  ['a plan whose bound was raised', plan, ['plan', 'step-1', 'step-2'], { planSteps: 4 }],
  ['the answer of a plan', best, ['plan', 'step-1', 'answer', 'answer/1'], { planSteps: 100, candidates: 0 }],
  ['the best of two after a plan', {}, ['plan', 'step-1', 'answer/best-2'], { planSteps: 100, candidates: 2 }],
  ['a reflection', {}, ['', 'reflect'], { reflects: true, candidates: 0 }],
])('a turn that was begun as %s goes on so', (_, environment, paths, expected) => {
  expect(selection(environment as Record<string, string>, ...(paths as string[]))).toMatchObject(expected)
})
