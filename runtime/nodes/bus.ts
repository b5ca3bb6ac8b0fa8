/** The way between the nodes of one installation. It may lose anything: what must arrive goes by `links.ts`, and the truth is in the database. */

export interface BusCounts {
  sent: number
  received: number
  /** Did not fit into the queue of what waits to be sent. */
  dropped: number
  /** Of no known form: another version, an unknown kind, an old or repeated number, a signature that does not hold. */
  refused: number
  /** Numbers that were skipped: messages that did not come. */
  lost: number
}

export interface Bus {
  /** To one node, by the number of its start. Never throws and never waits. */
  send(to: number, kind: string, body: unknown): void
  /** To every other node of this installation. */
  broadcast(kind: string, body: unknown): void
  /** What arrives, in the order of its sender. One listener a kind. */
  on(kind: string, listener: (body: unknown, from: number) => void): void
  /** False: what is sent now is probably lost. */
  readonly isUp: boolean
  onState(listener: (isUp: boolean) => void): void
  readonly counts: Readonly<BusCounts>
  close(): Promise<void>
}
