/** The tool `tool_search`: finds tools that the model does not know yet, and adds them for the rest of the turn. */
import { z } from 'zod'
import { defineTool, type ToolMaker } from './tool.ts'

export const toolSearch: ToolMaker = () =>
  defineTool({
    name: 'tool_search',
    description:
      'Finds further tools by what they do. Those that are found can be called from the next step on. Search before you ' +
      'say that something cannot be done.',
    arguments: z.object({ query: z.string().min(1).max(500).describe('What the tool is to do, in a few words.') }),
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 5_000,
    async run(context, { query }) {
      const found = context.turn.reveal(query)
      if (found.length === 0) return 'No further tool fits. Try other words, or one of those that are listed.'
      return found.map(({ name, description }) => `${name}: ${description}`).join('\n')
    },
  })
