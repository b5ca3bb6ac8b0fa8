/** When keys were used: written behind, many at a time, again after a failure, and never past the bound. */
import { beforeEach, expect, test } from 'vitest'
import { type KeyUses, keyUses } from '../../../http/auth/key-uses.ts'
import type { KeyUse } from '../../../store/api-keys/uses.ts'
import { newApiKeyId } from '../../../store/id.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

let clock: VirtualClock
let written: KeyUse[][]
let failures: number
let uses: KeyUses

beforeEach(() => {
  clock = virtualClock()
  written = []
  failures = 0
  uses = keyUses({
    clock,
    async write(noted) {
      if (failures-- > 0) throw new Error('the database is away')
      written.push([...noted])
    },
  })
})

test('uses of many keys are one write, after a moment', async () => {
  const [one, other] = [newApiKeyId(), newApiKeyId()]
  uses.note(one)
  uses.note(other)
  const first = clock.now()
  await clock.advance(1_000)
  uses.note(one)
  expect(written).toEqual([])
  await clock.advance(1_000)
  expect(written).toEqual([
    [
      { id: one, at: new Date(first + 1_000) },
      { id: other, at: new Date(first) },
    ],
  ])
  await clock.advance(120_000)
  expect(written).toHaveLength(1)
})

test('what could not be written is written later', async () => {
  failures = 2
  const id = newApiKeyId()
  uses.note(id)
  await clock.advance(2_000)
  expect(written).toEqual([])
  await clock.advance(60_000)
  expect(written.flat().map((use) => use.id)).toEqual([id])
})

test('what is noted while the database is away is bounded, and goes out in parts', async () => {
  for (let key = 0; key < 10_500; key++) uses.note(newApiKeyId())
  await clock.advance(10_000)
  expect(written.flat()).toHaveLength(10_000)
  expect(Math.max(...written.map((part) => part.length))).toBe(1_000)
})

test('closing writes what is left, and takes no more', async () => {
  uses.note(newApiKeyId())
  await uses.close()
  expect(written.flat()).toHaveLength(1)
  uses.note(newApiKeyId())
  await clock.advance(10_000)
  expect(written.flat()).toHaveLength(1)
})
