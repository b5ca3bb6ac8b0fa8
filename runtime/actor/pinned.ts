/** Actors that live where their socket is: pinned to one node, asked from any. */
import type { AnyDefinition } from './define.ts'
import type { Envelope } from './envelope.ts'
import { ActorGone, ActorPinned } from './errors.ts'
import type { ActorCell, Destination } from './system-core.ts'

/** Where it stands which node has each: one at a time, and none once that node is lost. */
export interface Pins {
  readonly node: number
  /** False: it lives on another node. */
  claim(kind: string, key: string): Promise<boolean>
  /** Null: it lives nowhere. */
  find(kind: string, key: string): Promise<number | null>
  release(kind: string, key: string): Promise<void>
}

export interface PinnedActors {
  destination(definition: AnyDefinition, key: string): Destination
  isHere(definition: AnyDefinition, key: string): boolean
  /** @returns stops the actor and lets its key be pinned anew. @throws ActorPinned, and what the store fails with */
  pin(definition: AnyDefinition, key: string): Promise<() => Promise<void>>
  /** This node was taken for dead: those that are no longer its own end. */
  check(): Promise<void>
}

export interface PinnedOptions {
  /** Absent: there are no other nodes. */
  pins: Pins | undefined
  local(definition: AnyDefinition, key: string): ActorCell
  /** Resolves when it is gone, if it is in memory. */
  stopLocal(definition: AnyDefinition, key: string): Promise<void>
  /** Absent: there is no way to other nodes. */
  sendTo: ((node: number, definition: AnyDefinition, key: string, envelope: Envelope) => void) | undefined
  deadLetter(path: string, envelope: Envelope): void
}

export function pinnedActors({ pins, local, stopLocal, sendTo, deadLetter }: PinnedOptions): PinnedActors {
  const here = new Map<string, { definition: AnyDefinition; key: string }>()
  const claiming = new Set<string>()
  const nameOf = ({ kind }: AnyDefinition, key: string): string => `${kind}/${key}`
  const isHere = (definition: AnyDefinition, key: string): boolean => here.has(nameOf(definition, key))

  async function stop(definition: AnyDefinition, key: string): Promise<void> {
    if (here.delete(nameOf(definition, key))) await stopLocal(definition, key)
  }

  function give(envelope: Envelope, path: string, error: unknown): void {
    if (envelope.reply) envelope.reply.reject(error)
    else deadLetter(path, envelope)
  }

  async function send(definition: AnyDefinition, key: string, envelope: Envelope): Promise<void> {
    const path = nameOf(definition, key)
    try {
      const node = await pins?.find(definition.kind, key)
      if (isHere(definition, key)) local(definition, key).enqueue(envelope)
      else if (typeof node !== 'number' || node === pins?.node || !sendTo) give(envelope, path, new ActorGone(path))
      else sendTo(node, definition, key, envelope)
    } catch (error) {
      give(envelope, path, error)
    }
  }

  return {
    isHere,
    destination(definition, key) {
      if (isHere(definition, key)) return local(definition, key)
      let sent = Promise.resolve()
      return {
        path: nameOf(definition, key),
        // Where it lives is looked up for each message: it may be pinned anew meanwhile, here or elsewhere.
        get status() {
          return isHere(definition, key) ? ('gone' as const) : ('running' as const)
        },
        enqueue(envelope) {
          // In the order in which they were handed over, however long each look takes.
          sent = sent.then(() => send(definition, key, envelope))
        },
      }
    },
    async pin(definition, key) {
      const name = nameOf(definition, key)
      if (here.has(name) || claiming.has(name)) throw new ActorPinned(name)
      claiming.add(name)
      try {
        if (pins && !(await pins.claim(definition.kind, key))) throw new ActorPinned(name)
        here.set(name, { definition, key })
      } finally {
        claiming.delete(name)
      }
      return async () => {
        await stop(definition, key)
        await pins?.release(definition.kind, key)
      }
    },
    async check() {
      for (const { definition, key } of [...here.values()]) {
        if ((await pins?.find(definition.kind, key)) !== pins?.node) await stop(definition, key)
      }
    },
  }
}
