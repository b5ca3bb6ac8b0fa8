/** Messages on their way in: what is not signed, not for us, old or unknown is counted, the rest goes to its listener. */
import type { KeyObject } from 'node:crypto'
import type { BusListener } from '../../runtime/nodes/bus.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import { bodyOf, decodedMessage, everybody, type Frame, openFrame, type Stream } from './envelope.ts'
import { messageBytesMax } from './outgoing.ts'

export interface Incoming {
  frame(bytes: Uint8Array): void
  on(kind: string, listener: BusListener): void
  readonly counts: { received: number; refused: number; lost: number }
  close(): void
}

/** More than there are nodes; that which has been silent for the longest is forgotten. */
const streamsMax = 10_000
const halvesMax = 8
const halvesBytesMax = 2 * messageBytesMax
const halfMsMax = 10_000

/** What has come of a message that is larger than a frame. */
interface Half {
  pieces: Buffer[]
  bytes: number
  bytesTotal: number
  timeout: Timer
}

interface Heard {
  /** The number that comes next. */
  next: number
  half?: Half
}

type PieceFrame = Extract<Frame, { piece: Buffer }>

/** @param onDefect what a listener threw, at once or later */
export function incoming(
  key: KeyObject,
  { epoch, clock, onDefect }: { epoch: number; clock: Clock; onDefect(error: unknown): void },
): Incoming {
  const counts = { received: 0, refused: 0, lost: 0 }
  const listeners = new Map<string, BusListener>()
  const streams = new Map<string, Heard>()
  const halves = new Set<Heard>()

  function frame(bytes: Uint8Array): void {
    const opened = openFrame(key, bytes)
    if (!opened || opened.from === epoch || (opened.to !== epoch && opened.to !== everybody)) {
      counts.refused++
      return
    }
    const heard = heardOf(opened)
    if ('piece' in opened) takePiece(heard, opened)
    else if (isNext(heard, opened)) {
      heard.next = opened.number + opened.count
      for (const message of opened.messages) deliver(message, opened.from)
    }
  }

  /** What was before the first that we hear is not missed: we were not there. */
  function heardOf({ from, to, number }: Stream & { number: number }): Heard {
    const name = `${from}/${to}`
    const heard = streams.get(name) ?? { next: number }
    streams.delete(name)
    streams.set(name, heard)
    if (streams.size > streamsMax) forgetOldest()
    return heard
  }

  function forgetOldest(): void {
    for (const [name, heard] of streams) {
      dropHalf(heard)
      streams.delete(name)
      return
    }
  }

  /** False, and counted, for what is old; what was missed before it is counted. */
  function isNext(heard: Heard, { number, count }: { number: number; count: number }): boolean {
    if (number < heard.next) {
      counts.refused += count
      return false
    }
    dropHalf(heard)
    counts.lost += number - heard.next
    return true
  }

  function takePiece(heard: Heard, frame: PieceFrame): void {
    if (frame.offset === 0) {
      if (heard.half && frame.number === heard.next) counts.refused++
      else if (isNext(heard, frame)) beginHalf(heard, frame)
      return
    }
    const { half } = heard
    if (!half || frame.number !== heard.next || frame.offset !== half.bytes) {
      counts.refused++
      return
    }
    addPiece(heard, half, frame)
  }

  function beginHalf(heard: Heard, frame: PieceFrame): void {
    heard.next = frame.number
    const { bytesTotal } = frame
    const halvesBytes = [...halves].reduce((sum, { half }) => sum + (half?.bytesTotal ?? 0), 0)
    if (bytesTotal > messageBytesMax || halves.size >= halvesMax || halvesBytes + bytesTotal > halvesBytesMax) {
      counts.refused++
      heard.next++
      return
    }
    const half = { pieces: [], bytes: 0, bytesTotal, timeout: clock.after(halfMsMax, () => dropHalf(heard)) }
    heard.half = half
    halves.add(heard)
    addPiece(heard, half, frame)
  }

  function addPiece(heard: Heard, half: Half, { piece, from }: PieceFrame): void {
    half.pieces.push(piece)
    half.bytes += piece.length
    if (half.bytes < half.bytesTotal) return
    const message = Buffer.concat(half.pieces)
    const isWhole = half.bytes === half.bytesTotal
    endHalf(heard)
    heard.next++
    if (isWhole) deliver(message, from)
    else counts.refused++
  }

  /** It will not be whole any more. */
  function dropHalf(heard: Heard): void {
    if (!heard.half) return
    endHalf(heard)
    heard.next++
    counts.lost++
  }

  function endHalf(heard: Heard): void {
    heard.half?.timeout.cancel()
    delete heard.half
    halves.delete(heard)
  }

  function deliver(bytes: Buffer, from: number): void {
    const message = decodedMessage(bytes)
    const listener = message && listeners.get(message.kind)
    const body = listener && bodyOf(message)
    if (!body) {
      counts.refused++
      return
    }
    counts.received++
    try {
      const handling = listener(body.value, from)
      if (handling instanceof Promise) handling.catch(onDefect)
    } catch (error) {
      onDefect(error)
    }
  }

  return {
    frame,
    on(kind, listener) {
      if (listeners.has(kind)) throw new TypeError(`messages of the kind ${kind} have a listener`)
      listeners.set(kind, listener)
    },
    counts,
    close() {
      for (const heard of halves) endHalf(heard)
      listeners.clear()
    },
  }
}
