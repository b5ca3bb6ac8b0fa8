/** What of a thrown value a client is told. */
import { expect, test } from 'vitest'
import { ApiError, badRequest, knownError, notFound } from '../../http/error.ts'
import { ModelError } from '../../models/errors.ts'
import { DatabaseDown } from '../../store/errors.ts'
import { ToolFailed } from '../../tools/tool.ts'

test('an error of the API is told as it is', () => {
  const refusal = badRequest('the field is missing', 'messages')
  expect(knownError(refusal)).toBe(refusal)
})

test('a failure of a room below is told by the message of its code', () => {
  expect(knownError(new DatabaseDown('connection to 127.0.0.1:5432 refused'))).toMatchObject({
    status: 503,
    message: 'The database cannot be reached.',
  })
})

test('a failure of a model or a tool that shares a code with the API is a defect: its text is not for the client', () => {
  expect(knownError(new ModelError('bad_request', 'the endpoint said: sk-of-somebody'))).toBeUndefined()
  expect(knownError(new ToolFailed('not_found', 'there is no file /srv/secret'))).toBeUndefined()
  expect(knownError(notFound('there is no agent x'))).toBeInstanceOf(ApiError)
  expect(knownError(new Error('anything else'))).toBeUndefined()
})
