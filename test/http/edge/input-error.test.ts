/** What a client is told of a request that does not have the form it should have. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ChatCompletionRequest } from '../../../http/chat/request.ts'
import { inputError } from '../../../http/edge/input-error.ts'

function toldOf(body: unknown, schema: z.ZodType = ChatCompletionRequest) {
  const { error } = schema.safeParse(body)
  const { message, param } = inputError(error ?? new z.ZodError([]), 'body')
  return { message, param }
}

const user = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] })

test('a field that is missing is required', () => {
  expect(toldOf({ model: 'm' })).toEqual({ message: 'messages: is required', param: 'messages' })
  expect(toldOf({}).message).toBe('model: is required; messages: is required')
})

test('of a field with several forms the forms are named', () => {
  expect(toldOf(user(5))).toEqual({
    message: 'messages[0].content: must be string or array or null',
    param: 'messages[0].content',
  })
})

test('of the form that was meant it is said what is wrong with it', () => {
  expect(toldOf(user([{ text: 'without a type' }]))).toEqual({
    message: 'messages[0].content[0].type: is required',
    param: 'messages[0].content[0].type',
  })
})

test('what has no other words keeps its own', () => {
  expect(toldOf({ ...user('x'), n: 0 })).toMatchObject({ param: 'n', message: expect.stringContaining('>=1') })
})
