/** As many turns wait in a lane as may: nothing was stored, and the sender tries again later. */
import { Failure } from '../../runtime/failure.ts'

export class BacklogFull extends Failure {
  readonly code = 'backlog_full'
  override readonly isOutage = true
  constructor(backlogMax: number) {
    super(`${backlogMax} turns wait here already, as many as may; try again later.`)
  }
}
