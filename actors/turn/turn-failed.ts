/** A turn that gave no answer, as its caller gets it: part of the contract, no crash. */
import type { EndpointErrorName } from '../../models/errors.ts'
import { Refusal } from '../../runtime/actor/errors.ts'
import type { TurnError } from './messages.ts'

export class TurnFailed extends Refusal {
  /** The HTTP status that says this to a client. */
  readonly status: number
  readonly named: EndpointErrorName | undefined
  readonly param: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(error: TurnError) {
    super(error.code, error.message)
    this.status = error.status
    this.named = error.named
    this.param = error.param
    this.retryAfterMs = error.retryAfterMs
  }
}
