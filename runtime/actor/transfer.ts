/** What goes between an actor and whoever talks to it, as if they lived on two nodes: data and failures as bytes. */
import { Failure, type FailureCode } from '../failure.ts'
import type { Codec } from './codec.ts'
import { ActorCrashed, ActorGone, ActorMoved, ActorStopped, AskTimeout, MailboxFull, Refusal } from './errors.ts'

export interface Transfer {
  /** A message, an answer or a stream item. @throws for what is not plain data */
  data(value: unknown): unknown
  /** A Failure arrives as one of its class, with its fields and the name and message of its cause. Other values stay as they are. */
  failure(error: unknown): unknown
}

/** Failures as plain data, and back. */
export interface FailureTransfer {
  plain(error: unknown): PlainFailure
  /** One of its class, with its fields and the name and message of its cause. */
  revived(failure: PlainFailure): Failure
}

/** A class of failures, as `instanceof` takes it. */
export interface FailureType {
  readonly name: string
  readonly prototype: Failure
}

export interface PlainFailure {
  type: string
  message: string
  cause: { name: string; message: string } | null
  fields: { code: FailureCode; isOutage: boolean }
}

/** @param types the application's own failures that callers tell apart by class; all others arrive as a Refusal with their code */
export function transferring(codec: Codec, types: readonly FailureType[]): Transfer {
  const failures = failureTransfer(types)
  const data = (value: unknown) => codec.decode(codec.encode(value))
  return {
    data,
    failure: (error) =>
      error instanceof Failure ? failures.revived(data(failures.plain(error)) as PlainFailure) : error,
  }
}

/** @param types as of `transferring` */
export function failureTransfer(types: readonly FailureType[]): FailureTransfer {
  const known: FailureType[] = [ActorCrashed, ActorGone, ActorMoved, ActorStopped, AskTimeout, MailboxFull, ...types]
  const byName = new Map(known.map((type) => [type.name, type]))
  return {
    plain: (error) => plainFailure(error instanceof Failure ? error : new ActorCrashed('an actor', error)),
    revived({ type, message, cause, fields }) {
      const { prototype } = byName.get(type) ?? Refusal
      const arrived = cause ? new Error(message, { cause: namedError(cause) }) : new Error(message)
      return Object.assign(Object.setPrototypeOf(arrived, prototype), fields) as Failure
    },
  }
}

function plainFailure(error: Failure): PlainFailure {
  const { name: type, message, cause } = error
  return {
    type,
    message,
    cause: cause instanceof Error ? { name: cause.name, message: cause.message } : null,
    fields: { ...error },
  }
}

function namedError({ name, message }: { name: string; message: string }): Error {
  return Object.assign(new Error(message), { name })
}
