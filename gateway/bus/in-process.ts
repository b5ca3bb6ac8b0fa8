/** The bus of a node that has no others: there is nobody to tell. */
import type { Bus } from '../../runtime/nodes/bus.ts'

const counts = { sent: 0, received: 0, dropped: 0, refused: 0, lost: 0 }

export const inProcessBus: Bus = {
  send() {},
  broadcast() {},
  on() {},
  isUp: true,
  onState() {},
  counts,
  async close() {},
}
