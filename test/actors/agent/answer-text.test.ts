import { expect, test } from 'vitest'
import { AnswerText } from '../../../actors/agent/answer-text.ts'
import type { ModelDelta } from '../../../models/transport.ts'

test('the separator before a step is in its first delta, even if that comes in pieces', () => {
  const deltas: ModelDelta[] = []
  const answer = new AnswerText({ delta: (delta) => deltas.push(delta) > 0, onRoom() {} })
  answer.endStep('First.')

  answer.sink?.delta({ kind: 'text', choice: 0, text: 'Then more.', pieces: ['Then', ' more.'] })

  expect(deltas).toEqual([{ kind: 'text', choice: 0, text: '\n\nThen more.' }])
})
