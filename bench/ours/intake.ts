/** Intake without HTTP: the batch statement, called by senders in this process. */
import { hash } from 'node:crypto'
import { openDatabase } from '../../store/database.ts'
import { firstWorkspaceId, newChannelId, newConversationId, newMessageId, newTurnId } from '../../store/id.ts'
import { intakeWriter } from '../../store/intake.ts'
import { enqueueLoad, messageText, sendersMax } from '../load/enqueue.ts'
import { measurement } from '../process/measurement.ts'
import { withDatabase } from './database.ts'

const callers = Number(process.env['BENCH_CALLERS'] ?? 256)

await measurement(({ warmUpMs, intakeMs }) =>
  withDatabase(async (address) => {
    const db = openDatabase(address)
    const intake = intakeWriter(db, 1)
    const channelId = newChannelId()
    const figures = await enqueueLoad({ callers, warmUpMs, measureMs: intakeMs }, (at) => {
      // One in twenty is said again.
      const key = hash('sha256', `message ${at % 20 === 19 ? at - 7 : at}`, 'hex').slice(0, 32)
      return intake.take({
        ...{ channelId, workspaceId: firstWorkspaceId, externalId: `sender-${at % sendersMax}` },
        ...{ conversationId: newConversationId(), messageId: newMessageId(), turnId: newTurnId() },
        ...{ dedupe: { key, digest: key }, isBindingRequired: false, content: messageText },
        ...{ senderName: null, replyTo: null, requestId: 'bench' },
      })
    })
    await intake.close()
    await db.close()
    return figures
  }),
)
