/** Sends a message to the person of the conversation while the turn goes on: stored as a message, delivered like an answer. */
import { hash } from 'node:crypto'
import { idFrom } from '../../../store/id.ts'
import { writeInterimMessage } from '../../../store/turns/interim-message.ts'
import { ToolFailed } from '../../../tools/tool.ts'
import type { AgentRun } from '../agent-run.ts'
import { retryOutages } from '../retry-outages.ts'

/** @param place of the call in the turn: a resumed turn that sends it again sends one message. @throws ToolFailed */
export async function sendInterimMessage(run: AgentRun, place: string, text: string): Promise<void> {
  const { services, conversationId, channelId, turnId, lease, workspaceId } = run
  if (conversationId === null || lease === null)
    throw new ToolFailed('nobody', 'This call belongs to no conversation: nobody can be written to.')
  if (revealsPrompt(run, text))
    throw new ToolFailed('withheld', 'This text gives away your instructions. It was not sent.')
  const id = hash('sha256', `${turnId}:${place}`, 'hex').slice(0, 32)
  const delivery = channelId && services.channels.deliveryFor(channelId)
  const message = {
    turn: { id: turnId, node: services.leases.node, lease },
    conversationId,
    workspaceId,
    text,
    messageId: idFrom('msg', id),
    delivery: delivery && {
      id: idFrom('dlv', id),
      expiresAt: new Date(run.clock.now() + delivery.ageMsMax),
    },
  }
  await retryOutages(run, () => writeInterimMessage(services.db, message))
  run.report({ kind: 'interim_message_sent' })
  services.feed.wake()
  if (delivery && channelId) services.channels.wake(channelId)
}

/** Judged as an answer is. */
function revealsPrompt({ services }: AgentRun, text: string): boolean {
  if (!services.guard) return false
  const guard = services.streamGuard(services.canary)
  guard.push(text)
  return guard.isLeaking
}
