/** What can go wrong between a sender and an actor: each a typed error that the sender can act on. */
import { Failure, type FailureCode } from '../failure.ts'

export class MailboxFull extends Failure {
  readonly code = 'mailbox_full'
  readonly path: string
  readonly capacity: number
  constructor(path: string, capacity: number) {
    super(`the mailbox of ${path} holds ${capacity} messages and takes no more`)
    this.path = path
    this.capacity = capacity
  }
}

/** The handler (or `start`) threw something that nobody declared; `cause` is what it threw. */
export class ActorCrashed extends Failure {
  readonly code = 'actor_crashed'
  readonly path: string
  constructor(path: string, cause: unknown) {
    super(`${path} crashed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.path = path
  }
}

export class AskTimeout extends Failure {
  readonly code = 'ask_timeout'
  constructor(path: string, type: string, deadlineMs: number) {
    super(`${path} did not answer ${type} within ${deadlineMs} ms`)
  }
}

/** The actor is gone, or its system is stopping and starts nothing new. */
export class ActorStopped extends Failure {
  readonly code = 'actor_stopped'
  readonly path: string
  constructor(path: string) {
    super(`${path} is stopped`)
    this.path = path
  }
}

/**
 * A failure that belongs to the actor's contract ("no such conversation", "turn limit reached").
 * Thrown by a handler it rejects the ask as it is and the actor lives on; thrown by `start` it refuses
 * every waiting message and the actor goes away without a restart. Domain errors extend it.
 */
export class Refusal extends Failure {
  readonly code: FailureCode
  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Thrown by a handler of an actor that is placed by slot: the slot is another node's, or is being handed over. Nothing of the
 * message was done; it goes on to whoever has the slot next, and its sender notices nothing.
 */
export class ActorMoved extends Refusal {
  constructor(path: string) {
    super('actor_moved', `${path} is moving to another node`)
  }
}

/** A pinned actor lives nowhere: it has ended, or its node was lost. */
export class ActorGone extends Failure {
  readonly code = 'actor_gone'
  constructor(path: string) {
    super(`${path} is not there any more`)
  }
}

/** A pinned actor lives on a node already, this one or another. */
export class ActorPinned extends Failure {
  readonly code = 'actor_pinned'
  constructor(path: string) {
    super(`${path} lives already`)
  }
}

/** The node that had the actor was lost, or the way to it: what became of the message is not known here. */
export class NodeLost extends Failure {
  readonly code = 'node_lost'
  override readonly isOutage = true
  constructor(path: string) {
    super(`the node on which ${path} lives was lost`)
  }
}

/** No node has the actor's slot, and none has taken it for a while. */
export class NobodyHome extends Failure {
  readonly code = 'nobody_home'
  override readonly isOutage = true
  constructor(path: string) {
    super(`no node has ${path} now`)
  }
}
