/** How many mails a workspace is sent: the server that sends them is the installation's, and so is its good name. */
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { WorkspaceId } from '../../store/id.ts'
import { DeliveryFailed } from '../channel/adapter.ts'

/** Of each workspace, by one node. An hour's worth may go at once. */
const mailsAnHour = 120
const hourMs = minutes(60)
const costMs = hourMs / mailsAnHour

/** @returns takes one. @throws DeliveryFailed with when there is one again */
export function mailAllowance(clock: Clock): (workspace: WorkspaceId) => void {
  /** When all that was taken will have come back. */
  const fullAtMs = new Map<WorkspaceId, number>()
  return (workspace) => {
    const nowMs = clock.elapsed()
    const fromMs = Math.max(fullAtMs.get(workspace) ?? 0, nowMs)
    const waitMs = fromMs + costMs - nowMs - hourMs
    if (waitMs > 0)
      throw new DeliveryFailed(`a workspace is sent ${mailsAnHour} mails an hour`, { retryAfterMs: Math.ceil(waitMs) })
    fullAtMs.set(workspace, fromMs + costMs)
  }
}
