/** The shape found by a scan agrees with the shape found by parsing, strings and escapes included, in whatever pieces. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { excessOf, JsonScanner, jsonBounds } from '../../runtime/json-shape.ts'
import { processorMs } from '../support/processor-ms.ts'
import { propertyRuns } from '../support/property-runs.ts'

const boundless = { depthMax: 1e6, valuesMax: 1e9, fieldsMax: 1e9, fieldsOfObjectMax: 1e9 }

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

const objectsIn = (value: unknown): object[] =>
  typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(objectsIn)]

const fieldsOf = (value: object): number => (Array.isArray(value) ? 0 : Object.keys(value).length)

function piecewise(bytes: Buffer, size: number, bounds = jsonBounds): string | undefined {
  const scanner = new JsonScanner(bounds)
  let excess: string | undefined
  for (let at = 0; at < bytes.length && !excess; at += size)
    excess = scanner.take(bytes, at, Math.min(at + size, bytes.length))
  return excess
}

const spaced = (text: string, isSpaced: boolean): string =>
  isSpaced ? JSON.stringify(JSON.parse(text), null, 1) : JSON.stringify(JSON.parse(text))

it('agrees with the parsed value about depth and fields, for any JSON at any limit', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 10 }), fc.boolean(), (text, limit, isSpaced) => {
      const json = Buffer.from(spaced(text, isSpaced))
      const value: unknown = JSON.parse(json.toString())
      const objects = objectsIn(value)
      const fields = objects.map(fieldsOf)
      const isWithin = (bounds: object) => excessOf(json, { ...boundless, ...bounds }) === undefined
      expect(isWithin({ depthMax: limit })).toBe(depthOf(value) <= limit)
      expect(isWithin({ fieldsMax: limit })).toBe(fields.reduce((sum, each) => sum + each, 0) <= limit)
      expect(isWithin({ fieldsOfObjectMax: limit })).toBe(fields.every((each) => each <= limit))
    }),
    { numRuns: propertyRuns(500) },
  )
})

it('finds the same in whatever pieces the text comes', () => {
  const bounds = { depthMax: 3, valuesMax: 20, fieldsMax: 8, fieldsOfObjectMax: 4 }
  const strings = fc.array(fc.constantFrom('\\', '"', 'a', '[', '{', ':', ',', 'x'.repeat(70)), { maxLength: 12 })
  fc.assert(
    fc.property(fc.array(strings, { maxLength: 8 }), fc.integer({ min: 1, max: 90 }), (texts, size) => {
      const json = Buffer.from(JSON.stringify(texts.map((parts) => ({ [parts.join('')]: parts.join('') }))))
      expect(piecewise(json, size, bounds)).toBe(new JsonScanner(bounds).take(json, 0, json.length))
      expect(piecewise(json, size)).toBeUndefined()
    }),
    { numRuns: propertyRuns(500) },
  )
})

it('does not count brackets inside strings, whatever stands before the quotes', () => {
  const strings = ['[[[[[[', '\\"[[[', '\\\\', '\\\\\\"{{{', '"[', '\\', '[\\', '{"a":[', `${'x'.repeat(80)}\\"[[[`]
  for (const inner of strings) {
    const json = Buffer.from(JSON.stringify([inner, { [inner]: inner }]))
    expect(excessOf(json, { ...jsonBounds, depthMax: 2 })).toBeUndefined()
    expect(excessOf(json, { ...jsonBounds, depthMax: 1 })).toBe('nests deeper than 1 levels')
  }
})

it.each([
  ['fields of one object', JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [n, 1])))],
  [
    'fields in all',
    JSON.stringify(Array.from({ length: 401 }, () => Object.fromEntries(Array(100).fill(0).entries()))),
  ],
  ['values', JSON.stringify(Array(100_001).fill(1))],
  ['levels', '['.repeat(65)],
  ['empty objects', JSON.stringify(Array(60_000).fill({}))],
])('refuses too many %s', (_, text) => {
  expect(excessOf(Buffer.from(text))).toMatch(/more than|deeper than/)
})

it('takes time in proportion to the text, also for the worst of it', async () => {
  const worst = [
    '\\'.repeat(1_000_000),
    '"'.repeat(1_000_000),
    '"\\'.repeat(500_000),
    '[]'.repeat(500_000),
    `${'x'.repeat(64)}\\"`.repeat(15_000),
    `${'x'.repeat(65)}${'\\'.repeat(1_000)}`.repeat(1_000),
  ]
  for (const inner of worst) {
    const bytes = Buffer.from(`["${inner}`)
    expect(await processorMs(() => excessOf(bytes))).toBeLessThan(500)
  }
})

it('any bytes at all get an answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      excessOf(Buffer.from(bytes), { depthMax: 3, valuesMax: 5, fieldsMax: 5, fieldsOfObjectMax: 2 })
    }),
  )
})
