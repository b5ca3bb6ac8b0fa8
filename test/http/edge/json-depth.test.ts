/** Nesting found by a scan agrees with nesting found by parsing, strings and escapes included. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isShallow } from '../../../http/edge/json-depth.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { propertyRuns } from '../../support/property-runs.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

it('agrees with the parsed value for any JSON at any limit', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 10 }), fc.boolean(), (text, limit, isSpaced) => {
      const json = isSpaced ? JSON.stringify(JSON.parse(text), null, 1) : text
      expect(isShallow(Buffer.from(json), limit)).toBe(depthOf(JSON.parse(json)) <= limit)
    }),
    { numRuns: propertyRuns(500) },
  )
})

it('does not count brackets inside strings, whatever stands before the quotes', () => {
  const strings = ['[[[[[[', '\\"[[[', '\\\\', '\\\\\\"{{{', '"[', '\\', '[\\', '{"a":[']
  for (const inner of strings) {
    const json = JSON.stringify([inner, { [inner]: inner }])
    expect(isShallow(Buffer.from(json), 2)).toBe(true)
    expect(isShallow(Buffer.from(json), 1)).toBe(false)
  }
})

it('takes time in proportion to the text, also for the worst of it', async () => {
  const worst = ['\\'.repeat(1_000_000), '"'.repeat(1_000_000), '"\\'.repeat(500_000), '[]'.repeat(500_000)]
  for (const inner of worst) {
    const bytes = Buffer.from(`["${inner}`)
    expect(await processorMs(() => isShallow(bytes, 64))).toBeLessThan(500)
  }
})

it('any bytes at all get an answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof isShallow(Buffer.from(bytes), 3) === 'boolean'),
  )
})
