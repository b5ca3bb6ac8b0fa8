/** How messages, answers and stream items become bytes where their actor lives elsewhere. */
import { pack, unpack } from 'msgpackr'

export interface Codec {
  /** @throws for what is not plain data */
  encode(message: unknown): Uint8Array
  decode(bytes: Uint8Array): unknown
}

export const msgpack: Codec = {
  // msgpackr drops functions in silence; structured cloning refuses them.
  encode: (message) => pack(structuredClone(message)),
  decode: (bytes) => unpack(bytes),
}
