/** The tool `message_user`: writes to the person of the conversation before the answer is ready. */
import { z } from 'zod'
import { defineTool, type ToolMaker } from './tool.ts'

export const messageUser: ToolMaker = () =>
  defineTool({
    name: 'message_user',
    description:
      'Sends the user a message now, while you go on working: that something takes longer, or a first result. ' +
      'Your answer at the end is sent anyway; do not send it with this.',
    arguments: z.object({ text: z.string().min(1).max(20_000).describe('What the user reads.') }),
    risk: 'write',
    // The message has the id of the call, so a repeated call writes it once.
    idempotency: 'repeatable',
    timeoutMs: 30_000,
    async run(context, { text }) {
      await context.turn.messageUser(text)
      return 'The message is on its way.'
    },
  })
