/** What parent and gateway tell each other over IPC. */

export type FromGateway =
  | { type: 'ready' }
  /** The drain has begun and is over within this time, or the gateway ends itself. */
  | { type: 'draining'; withinMs: number }
  | { type: 'stats'; [figure: string]: unknown }

/** Anybody who forks the gateway may ask for its figures by `{ type: 'stats' }`. */
export function typeOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { type } = message as { type?: unknown }
  return typeof type === 'string' ? type : undefined
}
