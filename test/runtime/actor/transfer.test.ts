import { describe, expect, test } from 'vitest'
import { msgpack } from '../../../runtime/actor/codec.ts'
import { ActorCrashed, MailboxFull, Refusal } from '../../../runtime/actor/errors.ts'
import { transferring } from '../../../runtime/actor/transfer.ts'
import { Failure } from '../../../runtime/failure.ts'

class LimitReached extends Refusal {
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('rate_limited', 'later')
    this.retryAfterMs = retryAfterMs
  }
}

class Away extends Failure {
  readonly code = 'database_down'
  override readonly isOutage = true
}

const { data, failure } = transferring(msgpack, [LimitReached])

test('a message arrives as it was sent, whatever a client calls its fields', () => {
  const message = {
    toJSON: 'a text',
    constructor: { name: 1 },
    nested: [{ toJSON: null }],
    at: 2 ** 53,
    none: undefined,
  }
  expect(data(message)).toEqual(message)
})

test('what is no plain data is refused, wherever in a message it is', () => {
  for (const bad of [() => 1, Symbol('s'), Promise.resolve(1), class {}])
    for (const message of [bad, { deep: [{ bad }] }]) expect(() => data(message)).toThrow(/plain data|symbol/)
})

describe('a failure on its way to a caller elsewhere', () => {
  test('arrives as another object of its class, with its message and fields', () => {
    const sent = new MailboxFull('/a', 4)
    const arrived = failure(sent)
    expect(arrived).not.toBe(sent)
    expect(arrived).toBeInstanceOf(MailboxFull)
    expect(arrived).toMatchObject({ name: 'MailboxFull', code: 'mailbox_full', message: sent.message, capacity: 4 })
  })

  test('arrives as a class that the application named', () => {
    const arrived = failure(new LimitReached(250))
    expect(arrived).toBeInstanceOf(LimitReached)
    expect(arrived).toMatchObject({ code: 'rate_limited', retryAfterMs: 250 })
  })

  test('arrives as a refusal with its code where nobody named its class, and an outage stays one', () => {
    const arrived = failure(new Away('no route'))
    expect(arrived).toBeInstanceOf(Refusal)
    expect(arrived).toMatchObject({ code: 'database_down', message: 'no route', isOutage: true })
  })

  test('brings the name and message of its cause, and nothing else of it', () => {
    const cause = Object.assign(new TypeError('boom'), { socket: () => 'not plain' })
    expect(failure(new ActorCrashed('/a', cause))).toMatchObject({
      path: '/a',
      cause: { name: 'TypeError', message: 'boom' },
    })
  })

  test('is refused where a field of it is no plain data', () => {
    const sent = Object.assign(new Away('no route'), { retry: () => 'not plain' })
    expect(() => failure(sent)).toThrow(/is no plain data/)
  })
})
