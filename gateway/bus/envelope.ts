/**
 * What every message between nodes travels in, over whatever: frames of one or more messages from one node to another (or to
 * all), numbered, and signed with a key that only nodes of this installation can have. Nothing of a frame is looked at before
 * its version and its signature hold.
 *
 * A frame: version (1 byte), form (1), sender (6), receiver (6; 0 for all), number of its first message (6), how many (2), the
 * messages or a piece of one, HMAC-SHA256 of all that (32). A message: bytes of its kind (1), kind, body in msgpack.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { Packr } from 'msgpackr'
import { isPlainData } from './plain-data.ts'

/** Another version's frames are refused: change it only for what this one would misread, since nodes of two run side by side. */
export const envelopeVersion = 1

/** The receiver of a broadcast. */
export const everybody = 0

const headBytes = 22
const macBytes = 32
/** A message in a frame has its length before it. */
const lengthBytes = 4
/** A piece has its place in the message and the message's length before it. */
const pieceHeadBytes = 8
const kindBytesMax = 64
const form = { messages: 0, piece: 1 } as const

/** Of messages to one receiver: their numbers follow each other without a gap. */
export interface Stream {
  from: number
  to: number
}

export interface FrameHead extends Stream {
  /** Of the first message in it. */
  number: number
  /** Messages; of a piece 1. */
  count: number
}

export type Frame = FrameHead & ({ messages: Buffer[] } | { piece: Buffer; offset: number; bytesTotal: number })

export interface Message {
  kind: string
  /** msgpack; `bodyOf` opens it. */
  body: Buffer
}

/** Overhead of a frame with one message or piece. */
export const frameOverheadBytes = headBytes + macBytes + pieceHeadBytes

// As the codec of actors' messages: a client's field that is called toJSON is data.
const packr = new Packr({ useRecords: false, useToJSON: false })

/** @throws for what msgpack cannot take, such as a circle */
export function encodedMessage(kind: string, body: unknown): Buffer {
  const name = Buffer.from(kind)
  if (name.length === 0 || name.length > kindBytesMax) throw new RangeError(`${kind} is no kind of message`)
  return Buffer.concat([Buffer.of(name.length), name, packr.pack(body)])
}

/** @returns undefined for garbage */
export function decodedMessage(bytes: Buffer): Message | undefined {
  const length = bytes[0] ?? 0
  if (length === 0 || length > kindBytesMax || bytes.length <= 1 + length) return undefined
  return { kind: bytes.toString('utf8', 1, 1 + length), body: bytes.subarray(1 + length) }
}

/** @returns undefined where the bytes are not plain data */
export function bodyOf({ body }: Message): { value: unknown } | undefined {
  if (!isPlainData(body)) return undefined
  try {
    return { value: packr.unpack(body) }
  } catch {
    return undefined // such as a date that is none
  }
}

export const bytesInFrame = (message: Buffer): number => lengthBytes + message.length

export function sealMessages(key: KeyObject, head: FrameHead, messages: readonly Buffer[]): Buffer {
  const bodyBytes = messages.reduce((sum, message) => sum + bytesInFrame(message), 0)
  const frame = Buffer.allocUnsafe(headBytes + bodyBytes + macBytes)
  let at = writeHead(frame, head, form.messages)
  for (const message of messages) {
    at = frame.writeUInt32BE(message.length, at)
    at += message.copy(frame, at)
  }
  return signed(key, frame)
}

/** Of a message that is larger than a frame: its pieces are sent one behind the other, under its one number. */
export function sealPiece(
  key: KeyObject,
  head: FrameHead,
  piece: Buffer,
  place: { offset: number; bytesTotal: number },
): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + pieceHeadBytes + piece.length + macBytes)
  let at = writeHead(frame, head, form.piece)
  at = frame.writeUInt32BE(place.offset, at)
  at = frame.writeUInt32BE(place.bytesTotal, at)
  piece.copy(frame, at)
  return signed(key, frame)
}

function writeHead(frame: Buffer, head: FrameHead, formOf: number): number {
  frame[0] = envelopeVersion
  frame[1] = formOf
  frame.writeUIntBE(head.from, 2, 6)
  frame.writeUIntBE(head.to, 8, 6)
  frame.writeUIntBE(head.number, 14, 6)
  return frame.writeUInt16BE(head.count, 20)
}

function signed(key: KeyObject, frame: Buffer): Buffer {
  macOf(key, frame).copy(frame, frame.length - macBytes)
  return frame
}

function macOf(key: KeyObject, frame: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(frame.subarray(0, frame.length - macBytes))
    .digest()
}

/** @returns undefined for what no node of this installation and version has sealed */
export function openFrame(key: KeyObject, bytes: Uint8Array): Frame | undefined {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (frame.length < headBytes + macBytes || frame[0] !== envelopeVersion) return undefined
  if (!timingSafeEqual(macOf(key, frame), frame.subarray(frame.length - macBytes))) return undefined
  const head = {
    from: frame.readUIntBE(2, 6),
    to: frame.readUIntBE(8, 6),
    number: frame.readUIntBE(14, 6),
    count: frame.readUInt16BE(20),
  }
  const body = frame.subarray(headBytes, frame.length - macBytes)
  if (frame[1] === form.messages) {
    const messages = messagesIn(body)
    return messages?.length === head.count ? { ...head, messages } : undefined
  }
  if (frame[1] !== form.piece || body.length <= pieceHeadBytes || head.count !== 1) return undefined
  return {
    ...head,
    offset: body.readUInt32BE(0),
    bytesTotal: body.readUInt32BE(4),
    piece: body.subarray(pieceHeadBytes),
  }
}

function messagesIn(body: Buffer): Buffer[] | undefined {
  const messages: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    if (at + lengthBytes > body.length) return undefined
    const end = at + lengthBytes + body.readUInt32BE(at)
    if (end > body.length) return undefined
    messages.push(body.subarray(at + lengthBytes, end))
    at = end
  }
  return messages
}
