/** A conversation as a document, written piece by piece: Markdown for people, JSON for programs. */
import type { ConversationRecord } from '../../../store/conversations/list.ts'
import type { MessageRecord } from '../../../store/conversations/messages.ts'
import { viewOf } from './conversation-view.ts'
import { messageView } from './messages.ts'

export interface ExportDocument {
  readonly contentType: string
  readonly extension: string
  begin(conversation: ConversationRecord): string
  /**
   * Empty: the document leaves it out.
   * @param operator the login of the operator who wrote it in the sender’s place
   */
  message(message: MessageRecord, isFirst: boolean, operator: string | undefined): string
  end(): string
}

const json: ExportDocument = {
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  begin: (conversation) => `{"conversation":${JSON.stringify(viewOf(conversation))},"messages":[`,
  message: (message, isFirst) => `${isFirst ? '\n' : ',\n'}${JSON.stringify(messageView(message))}`,
  end: () => '\n]}\n',
}

const markdown: ExportDocument = {
  contentType: 'text/markdown; charset=utf-8',
  extension: 'md',
  begin(conversation) {
    const { id, channel, externalId, folder, tags, createdAt } = factsOf(conversation)
    const facts = [
      `Conversation: ${id}`,
      `Begun: ${createdAt}`,
      channel && `Channel: ${channel} (${externalId})`,
      folder && `Folder: ${folder}`,
      tags && `Tags: ${tags}`,
    ]
    const title = oneLine(conversation.title) || 'Conversation'
    return `# ${title}\n\n${facts
      .filter(Boolean)
      .map((fact) => `- ${fact}\n`)
      .join('')}`
  },
  // Superseded answers are left out.
  message({ supersededBy, role, createdAt, body }, _isFirst, operator) {
    if (supersededBy) return ''
    const speaker = operator === undefined ? role : `operator ${operator}`
    return `\n## ${oneLine(speaker)}, ${createdAt.toISOString()}\n\n${plainText(body)}\n`
  },
  end: () => '',
}

export const documents = { md: markdown, json } as const

function factsOf(conversation: ConversationRecord) {
  return {
    id: conversation.id,
    channel: conversation.channel && oneLine(conversation.channel),
    externalId: oneLine(conversation.externalId ?? ''),
    folder: conversation.folder && oneLine(conversation.folder),
    tags: conversation.tags.map(oneLine).join(', '),
    createdAt: conversation.createdAt.toISOString(),
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function plainText({ content, tool_calls: calls }: Record<string, unknown>): string {
  const text = Array.isArray(content) ? content.map(partText).join('\n\n') : typeof content === 'string' ? content : ''
  return calls === undefined ? text : [text, codeBlock(calls)].filter((part) => part !== '').join('\n\n')
}

/** Other parts than text are replaced by their type: the data of an image would fill the page. */
function partText(part: unknown): string {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
  return typeof text === 'string' ? text : `[${typeof type === 'string' ? oneLine(type).slice(0, 50) : 'part'}]`
}

const codeBlock = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
