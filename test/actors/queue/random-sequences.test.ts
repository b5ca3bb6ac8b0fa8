/** Random sequences of everything that can happen to the queue, against a model of the database behind it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../support/property-runs.ts'
import { modelledQueue } from './support/model.ts'

const at = fc.nat({ max: 11 })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('enter' as const), at }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), at }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      at,
      how: fc.constantFrom('stored', 'stored', 'stored', 'nothing', 'failed', 'lost'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('look' as const), at }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      at,
      ending: fc.constantFrom('done', 'done', 'retry', 'paused', 'approved'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('approve', 'cancel', 'cancelElsewhere', 'cancelRunning'), at }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('setPaused' as const), at, isPaused: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat({ max: 1_500 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('find' as const) }) },
)

const limits = fc.record({
  turnsMax: fc.integer({ min: 1, max: 4 }),
  laneTurnsMax: fc.integer({ min: 1, max: 3 }),
  backlogMax: fc.integer({ min: 1, max: 6 }),
  isMerged: fc.boolean(),
  left: fc.array(fc.nat({ max: 3 }), { maxLength: 4 }),
})

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function perform(model: ReturnType<typeof modelledQueue>, step: Step): Promise<void> {
  switch (step.kind) {
    case 'answer':
      return model.answer(step.at, step.how)
    case 'end':
      return model.end(step.at, step.ending)
    case 'setPaused':
      return model.setPaused(step.at, step.isPaused)
    case 'advance':
      return model.advance(step.ms)
    case 'find':
      return model.find()
    default:
      return model[step.kind](step.at)
  }
}

test('no turn is lost, doubled or stuck, and no count drifts', async () => {
  const reached = { refused: 0, ended: 0 }
  const sequences = fc.asyncProperty(limits, fc.array(step, { minLength: 5, maxLength: 60 }), async (bounds, steps) => {
    const model = modelledQueue(bounds)
    for (const step of steps) {
      await perform(model, step)
      await Promise.resolve()
      await Promise.resolve()
      await Promise.resolve()
      model.check()
    }
    await model.comeToRest()
    model.checkAtRest()
    await model.approveAll()
    model.checkEmpty()
    reached.refused += model.reached().refused
    reached.ended += model.reached().ended
  })
  await fc.assert(sequences, { numRuns: propertyRuns(1_000) })
  expect(reached.refused).toBeGreaterThan(0)
  expect(reached.ended).toBeGreaterThan(500)
})
