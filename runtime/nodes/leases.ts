/** Which slots are this node's. What it begins under a lease fails in the database once the slot has changed hands. */
import { ms } from '../time/duration.ts'

/** A node that is not heard of for this long is lost. */
export const leaseMs = ms(1_500)

export interface Hold {
  /** Under which what is begun now is written. */
  readonly lease: number
  /** Once. */
  release(): void
}

export interface Leases {
  /** The number of this start of the service: the epoch of its node. */
  readonly node: number
  /** The lease of the slot of this key; undefined: it is another node's, or nobody's. */
  of(key: string): number | undefined
  /** As `of`; until it is released, the slot is not handed over as long as this node lives. Undefined too while this node leaves. */
  hold(key: string): Hold | undefined
  /**
   * False: this node could not say in time that it lives, and others may take it for dead. Only for what is done outside: the
   * database refuses by itself.
   */
  readonly isCurrent: boolean
}

export interface NodesAround extends Leases {
  /** Those that live, by the numbers of their starts; this one is among them. */
  readonly nodes: readonly { readonly epoch: number }[]
  /** The node whose slot the key is in; undefined: nobody's, as far as is known here. */
  ownerOf(key: string): number | undefined
}
