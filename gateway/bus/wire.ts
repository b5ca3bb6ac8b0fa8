/** What a transport of messages between nodes has to do: carry signed frames, and know whether it can. */

export interface OutgoingFrame {
  /** The epoch of a node; `everybody`: all but the sender. */
  to: number
  bytes: Buffer
}

/** What the wire calls. */
export interface WireEnds {
  frame(bytes: Uint8Array): void
  /** Not up: frames would be lost. */
  state(isUp: boolean): void
}

export interface Wire {
  /** May change with the server at the other end. */
  readonly frameBytesMax: number
  /**
   * Takes frames in their order. Only called while it is up, and not before the last call has resolved.
   * @returns when it takes more; undefined: at once
   * @throws where they are lost, and so does its promise
   */
  write(frames: readonly OutgoingFrame[]): Promise<void> | undefined
  close(): Promise<void>
}

/** Resolves after the first try to reach the others, successful or not. */
export type OpenWire = (ends: WireEnds) => Promise<Wire>
