/** How messages, answers and stream items become bytes where their actor lives elsewhere. */
import { Packr } from 'msgpackr'

export interface Codec {
  /** @throws for what is not plain data */
  encode(message: unknown): Uint8Array
  decode(bytes: Uint8Array): unknown
}

// A client's field that is called toJSON is data.
const packr = new Packr({ useRecords: false, useToJSON: false })

export const msgpack: Codec = {
  // msgpackr drops functions in silence; structured cloning refuses them.
  encode: (message) => packr.pack(structuredClone(message)),
  decode: (bytes) => packr.unpack(bytes),
}
