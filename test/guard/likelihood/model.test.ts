/** The committed weights are what training makes of the labelled texts, so that nobody has to take them on trust. */
import { expect, test } from 'vitest'
import { model } from '../../../guard/likelihood/model.ts'
import { learn, modelOf, readExamples } from '../../../scripts/guard-train.ts'
import { development, heldOut } from '../cases/all.ts'
import { freshAttacks } from '../cases/fresh-attacks.ts'
import { freshHarmless } from '../cases/fresh-harmless.ts'

const examples = await readExamples()

test('guard/likelihood/model.ts is what training makes: npm run guard:train writes it', () => {
  const learned = modelOf(learn(examples), model.attackFrom)
  // Compared as one: a difference of 87 kB is not worth printing.
  expect(learned.weights === model.weights).toBe(true)
  expect({ ...learned, weights: '' }).toEqual({ ...model, weights: '' })
})

test('the weights are 64 KB', () => {
  expect(Buffer.from(model.weights, 'base64')).toHaveLength(64 * 1024)
})

test('no text that measures the guard is trained with', () => {
  const trained = new Set(examples.map(({ text: given }) => given.text))
  expect(trained.size).toBeGreaterThan(3_000)
  // What a fresh text has in common with an old one by chance, rates.test.ts leaves out.
  const old = new Set([...development.attacks, ...development.benign].map(({ text }) => text))
  const measuring = [...heldOut.attacks, ...heldOut.benign, ...freshAttacks, ...freshHarmless]
  expect(measuring.filter(({ text }) => trained.has(text) && !old.has(text))).toEqual([])
})
