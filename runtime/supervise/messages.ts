/** What parent and gateway tell each other: messages over IPC, and an argument at the start. */

/** Given to a gateway that takes the place of one that has ended: clients wait for it. */
export const restartedArgument = 'restarted'

export type FromGateway =
  | { type: 'ready' }
  /** The drain has begun. After this time the gateway ends itself. */
  | { type: 'draining'; withinMs: number }
  | { type: 'stats'; [figure: string]: unknown }

/** The type of a message; whoever forks the gateway may send `{ type: 'stats' }` to get its figures. */
export function typeOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { type } = message as { type?: unknown }
  return typeof type === 'string' ? type : undefined
}
