/** Recovery codes: as strong as a plain hash needs, and read however a person writes them. */
import { expect, it } from 'vitest'
import { newRecoveryCodes, recoveryHash } from '../../../http/auth/recovery-codes.ts'

it('a code has 112 bits or more, so that a plain hash protects it, and no two are the same', () => {
  const codes = Array.from({ length: 200 }, newRecoveryCodes).flat()
  expect(new Set(codes).size).toBe(2_000)
  const letters = new Set(codes.join('').replaceAll('-', ''))
  for (const code of codes) {
    expect(code).toMatch(/^([A-Z2-9]{4}-){5}[A-Z2-9]{4}$/)
    expect(code.replaceAll('-', '').length * Math.log2(letters.size)).toBeGreaterThanOrEqual(112)
  }
})

it('a code is the same in small letters, with blanks or without dashes; one of sixteen letters still counts', () => {
  const [code = ''] = newRecoveryCodes()
  expect(recoveryHash(code.toLowerCase().replaceAll('-', ' '))).toEqual(recoveryHash(code))
  expect(recoveryHash('abcd efgh jkmn pqrs')).toEqual(recoveryHash('ABCD-EFGH-JKMN-PQRS'))
})
