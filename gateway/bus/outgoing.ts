/** Messages on their way out: they wait in one bounded queue, and leave in numbered frames, many in one. */
import type { KeyObject } from 'node:crypto'
import { bytesInFrame, everybody, frameOverheadBytes, sealMessages, sealPiece } from './envelope.ts'
import type { OutgoingFrame } from './wire.ts'

/** Of one message: what a receiver will put together. */
export const messageBytesMax = 32 * 1024 * 1024

const frameMessagesMax = 65_535
const streamsMax = 10_000

interface Waiting {
  to: number
  message: Buffer
}

/** Messages to one receiver that will share a frame. */
interface Group {
  messages: Buffer[]
  bytes: number
}

/** Bytes of memory, about. */
const costOf = (message: Buffer): number => message.length + 128

export interface Outgoing {
  /** False: there is no room for it. */
  add(to: number, message: Buffer): boolean
  /** Takes messages off the queue, in order, until the frames made of them have `bytesMax` or so. */
  take(frameBytesMax: number, bytesMax: number): { frames: OutgoingFrame[]; count: number }
  /** Forgets what waits. @returns how many messages those were */
  clear(): number
  readonly count: number
}

export function outgoing(key: KeyObject, options: { from: number; waitingBytesMax: number }): Outgoing {
  const { from, waitingBytesMax } = options
  let waiting: Waiting[] = []
  let first = 0
  let waitingBytes = 0
  const numbers = new Map<number, number>()
  let numbered = 0

  /** Numbers of a stream rise and never start over, also of one that was forgotten in between. */
  function takeNumbers(to: number, count: number): number {
    const number = numbers.get(to) ?? numbered + 1
    numbered += count
    numbers.set(to, number + count)
    const [oldest] = numbers.keys()
    if (numbers.size > streamsMax && oldest !== undefined) numbers.delete(oldest)
    return number
  }

  function sealGroup(to: number, { messages }: Group): OutgoingFrame {
    const head = { from, to, number: takeNumbers(to, messages.length), count: messages.length }
    return { to, bytes: sealMessages(key, head, messages) }
  }

  function sealPieces(to: number, message: Buffer, pieceBytes: number): OutgoingFrame[] {
    const head = { from, to, number: takeNumbers(to, 1), count: 1 }
    return Array.from({ length: Math.ceil(message.length / pieceBytes) }, (_, index) => {
      const offset = index * pieceBytes
      const piece = message.subarray(offset, offset + pieceBytes)
      return { to, bytes: sealPiece(key, head, piece, { offset, bytesTotal: message.length }) }
    })
  }

  /** One receiver gets ours in order, so no message to one overtakes a broadcast, or is overtaken by it. */
  function take(frameBytesMax: number, bytesMax: number): { frames: OutgoingFrame[]; count: number } {
    const roomBytes = frameBytesMax - frameOverheadBytes
    const frames: OutgoingFrame[] = []
    const groups = new Map<number, Group>()
    const sealed = (to: number) => {
      const group = groups.get(to)
      if (group) frames.push(sealGroup(to, group))
      groups.delete(to)
    }
    let bytes = 0
    let count = 0
    while (first < waiting.length && bytes < bytesMax) {
      const { to, message } = waiting[first++] as Waiting
      count++
      bytes += message.length
      waitingBytes -= costOf(message)
      for (const other of [...groups.keys()]) if ((other === everybody) !== (to === everybody)) sealed(other)
      const size = bytesInFrame(message)
      const group = groups.get(to)
      if (size > roomBytes) {
        sealed(to)
        frames.push(...sealPieces(to, message, roomBytes))
      } else if (group && group.bytes + size <= roomBytes && group.messages.length < frameMessagesMax) {
        group.messages.push(message)
        group.bytes += size
      } else {
        sealed(to)
        groups.set(to, { messages: [message], bytes: size })
      }
    }
    for (const to of [...groups.keys()]) sealed(to)
    if (first * 2 >= waiting.length) {
      waiting = waiting.slice(first)
      first = 0
    }
    return { frames, count }
  }

  return {
    add(to, message) {
      if (message.length > messageBytesMax) return false
      // A message that is larger than the bound goes alone.
      if (waitingBytes > 0 && waitingBytes + costOf(message) > waitingBytesMax) return false
      waiting.push({ to, message })
      waitingBytes += costOf(message)
      return true
    },
    take,
    clear() {
      const count = waiting.length - first
      waiting = []
      first = 0
      waitingBytes = 0
      return count
    },
    get count() {
      return waiting.length - first
    },
  }
}
