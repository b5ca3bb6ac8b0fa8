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

/** Which of the processes of one parent a gateway is: they share its ports. */
export interface ProcessPlace {
  /** From 1. */
  number: number
  of: number
  /** It starts before the others: nobody may have its ports. */
  isFirst: boolean
}

export const alone: ProcessPlace = { number: 1, of: 1, isFirst: true }

const placePrefix = 'process='

export const placeArgument = (number: number, of: number): string => `${placePrefix}${number}/${of}`

/** @returns `alone` where the parent has one process */
export function processPlace(args: readonly string[]): ProcessPlace {
  const argument = args.find((each) => each.startsWith(placePrefix))
  const [number = 1, of = 1] = argument?.slice(placePrefix.length).split('/').map(Number) ?? []
  return { number, of, isFirst: number === 1 && !args.includes(restartedArgument) }
}

/** What one of them may have of a bound that is for all. */
export const shareOf = (bound: number, { of }: Pick<ProcessPlace, 'of'>): number => Math.ceil(bound / of)

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
