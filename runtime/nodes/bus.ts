/**
 * What nodes, the processes of this service on one database, say to each other. Any message may be lost and none arrives
 * twice: what counts stands in the database, and a message only says that it is worth looking.
 */

export interface BusCounts {
  /** Messages handed to the transport; a broadcast counts once. */
  readonly sent: number
  /** Messages given to a listener. */
  readonly received: number
  /** Messages that were not sent: the queue was full, the transport down, or the message too large or no plain data. */
  readonly dropped: number
  /** What arrived and is nobody's: a wrong signature, an old number, another version, garbage, an unknown kind. */
  readonly refused: number
  /** Messages that others sent and that never arrived, by the gaps in their numbers. */
  readonly lost: number
}

/** The sender has gone on: nobody waits for it. What it throws, at once or later, is logged. */
export type BusListener = (body: unknown, from: number) => unknown

export interface Bus {
  /**
   * To one other node, by the number of its start (`instances.epoch`). Never throws and never waits: what the bound of the
   * queue has no room for is dropped and counted.
   * @param body plain data: no class instances, no functions, at most 64 levels deep and 32 MiB as msgpack
   */
  send(to: number, kind: string, body: unknown): void
  /** To every other node of this installation. */
  broadcast(kind: string, body: unknown): void
  /** What arrives, in the order of its sender. One listener a kind; its body is what some version of this service sent. */
  on(kind: string, listener: BusListener): void
  /** False: messages are lost for the moment. */
  readonly isUp: boolean
  onState(listener: (isUp: boolean) => void): void
  readonly counts: BusCounts
  /** Sends what waits, within a second, and takes no more. */
  close(): Promise<void>
}
