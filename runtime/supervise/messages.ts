/** What parent and gateway tell each other: messages over IPC, and an argument at the start. */

/** Given to a gateway that takes the place of one that has ended: clients wait for it. */
export const restartedArgument = 'restarted'

/** Before the number of the node that has ended: what is its own, others need not wait for. */
const replacesPrefix = 'replaces='

export const replacesArgument = (node: number): string => `${replacesPrefix}${node}`

/** @returns undefined: it replaces none that is known */
export function replacedNode(args: readonly string[]): number | undefined {
  const argument = args.find((each) => each.startsWith(replacesPrefix))
  const node = Number(argument?.slice(replacesPrefix.length))
  return Number.isSafeInteger(node) && node > 0 ? node : undefined
}

export type FromGateway =
  /** `node`: the number of this start. */
  | { type: 'ready'; node?: number }
  /** The drain has begun. After this time the gateway ends itself. */
  | { type: 'draining'; withinMs: number }
  | { type: 'stats'; [figure: string]: unknown }

/** The type of a message; whoever forks the gateway may send `{ type: 'stats' }` to get its figures. */
export function typeOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { type } = message as { type?: unknown }
  return typeof type === 'string' ? type : undefined
}
