import { expect, test } from 'vitest'
import { passwordProblem } from '../../../http/auth/common-passwords.ts'

test.each([
  'password123',
  'Password123!',
  'PASSWORD2026',
  '123password!',
  'qwertyuiop',
  '1q2w3e4r5t',
  'QWERTY123456',
  'qwerty-2026!',
  'aaaaaaaaaa',
  'abababababab',
  '1234123412341234',
  '1234567890',
  '0987654321',
  'abcdefghijkl',
  'Administrator1',
  'Пароль2026!',
  'p@ssw0rd!!!!',
  'ｐａｓｓｗｏｒｄ１２３',
  'ada.lovelace',
  'my-ADA.LOVELACE-1',
  'agent-platform!',
  'AgentPlatform1',
])('%s is refused', (password) => {
  expect(passwordProblem(password, 'ada.lovelace')).toMatch(/choose another/)
})

test.each([
  'correct horse battery',
  'a long enough password',
  'my password is strange',
  'x9-Kd72-pq11',
  'eight eight seven',
])('%s may be used', (password) => {
  expect(passwordProblem(password, 'al')).toBeUndefined()
})
