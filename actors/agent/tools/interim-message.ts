/** Says something to the person of the conversation while the turn goes on: stored as a message, delivered like an answer. */
import { hash } from 'node:crypto'
import { streamGuard } from '../../../guard/stream-guard.ts'
import { idFrom } from '../../../store/id.ts'
import { writeInterimMessage } from '../../../store/turns/interim-message.ts'
import { ToolFailed } from '../../../tools/tool.ts'
import type { AgentRun } from '../agent-run.ts'
import { patiently } from '../patiently.ts'

/** @param place of the call in the turn: said twice by a turn that was begun again, it is one message. @throws ToolFailed */
export async function sendInterimMessage(run: AgentRun, place: string, text: string): Promise<void> {
  const { services, conversationId, channelId, turnId } = run
  if (conversationId === null)
    throw new ToolFailed('nobody', 'This call belongs to no conversation: nobody can be written to.')
  if (givesAway(run, text)) throw new ToolFailed('withheld', 'This text gives away your instructions. It was not sent.')
  const id = hash('sha256', `${turnId}:${place}`, 'hex').slice(0, 32)
  const delivery = channelId && services.channels.deliveryFor(channelId)
  const said = {
    ...{ turnId, conversationId, workspaceId: run.workspaceId, epoch: services.epoch, text },
    messageId: idFrom('msg', id),
    delivery: delivery && {
      id: idFrom('dlv', id),
      expiresAt: new Date(run.clock.now() + delivery.ageMsMax),
    },
  }
  await patiently(run, () => writeInterimMessage(services.db, said))
  run.notes.hasInterimMessage = true
  services.feed.wake()
  if (delivery && channelId) services.channels.wake(channelId)
}

/** Held to the guard as an answer is. */
function givesAway({ services }: AgentRun, text: string): boolean {
  if (!services.guard) return false
  const heard = streamGuard(services.canary)
  heard.push(text)
  return heard.isLeaking
}
