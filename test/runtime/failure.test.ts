import { expect, test } from 'vitest'
import { MailboxFull } from '../../runtime/actor/errors.ts'
import { BatchFull } from '../../runtime/batcher.ts'
import { Failure, isOutage } from '../../runtime/failure.ts'
import { DatabaseDown } from '../../store/errors.ts'

test('a failure has the name of its class, and its type says whether it is an outage', () => {
  const down = new DatabaseDown('nobody there')
  expect(down).toBeInstanceOf(Failure)
  expect([down.name, down.code, String(down)]).toEqual([
    'DatabaseDown',
    'database_down',
    'DatabaseDown: the database does not answer: nobody there',
  ])
  expect([down, new BatchFull(1)].map(isOutage)).toEqual([true, true])
  expect([new MailboxFull('a/b', 1), new Error('x'), { isOutage: true }, undefined].map(isOutage)).toEqual(
    Array.from({ length: 4 }, () => false),
  )
})
