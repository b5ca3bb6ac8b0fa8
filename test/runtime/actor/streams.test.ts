import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type StreamReader, streams } from '../../../runtime/actor/streams.ts'
import { testSystem } from '../../support/actors.ts'

function recorder(roomFor = Number.POSITIVE_INFINITY) {
  const received: (number | string)[] = []
  let room = roomFor
  const reader: StreamReader<number> = {
    item(item) {
      received.push(item)
      room--
      return room > 0
    },
    end: (error) => received.push(error ? `failed: ${error.message}` : 'end'),
  }
  return {
    seen: received,
    reader,
    grant(items: number) {
      room = items
    },
  }
}

describe('streams by id', () => {
  test('items reach the reader in order, and the end once', () => {
    const hub = streams()
    const { seen, reader } = recorder()
    hub.subscribe('s', reader)
    const writer = hub.open<number>('s')
    expect([writer.write(1), writer.write(2)]).toEqual([true, true])
    writer.end()
    writer.end(new Error('too late'))
    writer.write(3)
    expect(seen).toEqual([1, 2, 'end'])
    expect(hub.size).toBe(0)
  })

  test('a slow reader holds up the producer, misses nothing, and gets the end last', () => {
    const hub = streams()
    const { seen, reader, grant } = recorder(2)
    const subscription = hub.subscribe('s', reader)
    const writer = hub.open<number>('s')
    let rooms = 0
    writer.onRoom(() => rooms++)
    expect([1, 2, 3, 4].map((item) => writer.write(item))).toEqual([true, false, false, false])
    writer.end(new Error('cut off'))
    expect(seen).toEqual([1, 2])
    grant(1)
    subscription.resume()
    expect(seen).toEqual([1, 2, 3])
    expect(rooms).toBe(0)
    grant(10)
    subscription.resume()
    expect(seen).toEqual([1, 2, 3, 4, 'failed: cut off'])
    expect(hub.size).toBe(0)
  })

  test('a producer without a reader is never held up, and nothing is buffered', () => {
    const hub = streams()
    const writer = hub.open<number>('nobody')
    expect(writer.write(1)).toBe(true)
    writer.end()
    expect(hub.size).toBe(0)
  })

  test('a reader that leaves frees a producer that waits for it', () => {
    const hub = streams()
    const { seen, reader } = recorder(1)
    const subscription = hub.subscribe('s', reader)
    const writer = hub.open<number>('s')
    let rooms = 0
    writer.onRoom(() => rooms++)
    expect(writer.write(1)).toBe(false)
    subscription.leave()
    expect(rooms).toBe(1)
    expect(writer.write(2)).toBe(true)
    writer.end()
    expect(seen).toEqual([1])
    expect(hub.size).toBe(0)
  })

  test('two readers of one id are refused', () => {
    const hub = streams()
    hub.subscribe('s', recorder().reader)
    expect(() => hub.subscribe('s', recorder().reader)).toThrow('stream s has a reader already')
  })

  test('at any pace a reader gets every item once, in order, then the end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant('write'), fc.constant('resume'), fc.nat(3)), { maxLength: 60 }),
        (steps) => {
          const hub = streams()
          const { seen, reader, grant } = recorder(1)
          const subscription = hub.subscribe('s', reader)
          const writer = hub.open<number>('s')
          let written = 0
          for (const step of steps) {
            if (step === 'write') writer.write(written++)
            else if (step === 'resume') subscription.resume()
            else grant(step as number)
          }
          writer.end()
          grant(1_000)
          subscription.resume()
          expect(seen).toEqual([...Array(written).keys(), 'end'])
        },
      ),
    )
  })

  test('an item that is not plain data is refused to its producer', () => {
    const { system } = testSystem()
    system.streams.subscribe('s', { item: () => true, end() {} })
    expect(() => system.streams.open('s').write({ go: () => 'no' })).toThrow(/is no plain data/)
  })
})
