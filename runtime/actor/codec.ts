/** How messages, answers and stream items become bytes where their actor lives elsewhere. */
import { addExtension, Packr } from 'msgpackr'

export interface Codec {
  /** @throws for what is not plain data */
  encode(message: unknown): Uint8Array
  decode(bytes: Uint8Array): unknown
}

function refuse(value: unknown): never {
  throw new TypeError(`a ${value instanceof Promise ? 'promise' : typeof value} is no plain data`)
}

// What msgpackr (2.1.3) would send as something else, and without a word: a promise as an empty record, a function as nothing.
addExtension({ Class: Promise, write: refuse } as never)

// A client's field that is called toJSON is data.
const packr = new Packr({ useRecords: false, useToJSON: false, writeFunction: refuse } as never)

export const msgpack: Codec = {
  encode: (message) => packr.pack(message),
  decode: (bytes) => packr.unpack(bytes),
}
