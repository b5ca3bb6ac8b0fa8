import { expect, test } from 'vitest'
import { OldPrimary, primaryGuard } from '../../../gateway/primary-guard.ts'

test('a process that has seen a promotion takes nothing from a server that knows nothing of it', () => {
  const noted: object[] = []
  const servers = { notePromotion: (promoted: object) => noted.push(promoted) }
  const guard = primaryGuard(servers as never)
  guard.require({ cluster: 'a', timeline: 1 })
  guard.require({ cluster: 'a', timeline: 2 })
  expect(() => guard.require({ cluster: 'a', timeline: 1 })).toThrow(OldPrimary)
  guard.require({ cluster: 'a', timeline: 2 })
  expect(noted).toEqual([
    { cluster: 'a', timeline: 1 },
    { cluster: 'a', timeline: 2 },
  ])
})

test('a server that does not say which it is, is taken as it is', () => {
  const guard = primaryGuard(undefined)
  guard.require({ cluster: 'a', timeline: 2 })
  expect(() => guard.require({ cluster: 'unknown', timeline: 0 })).not.toThrow()
})
