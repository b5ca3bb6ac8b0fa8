/** `GET /v1/admin/conversations/export`: a whole conversation as a file, read and sent in pages. */
import { z } from 'zod'
import { type ConversationRecord, readConversation } from '../../../store/conversations/list.ts'
import { type MessageRecord, messagesAfter } from '../../../store/conversations/messages.ts'
import { ConversationId, type TurnId } from '../../../store/id.ts'
import { operatorLogins } from '../../../store/operators/operators.ts'
import { turnsOfOperators } from '../../../store/turns/sources.ts'
import { admin } from '../../access.ts'
import { rawStream } from '../../answer.ts'
import type { App } from '../../app.ts'
import { writeAtPace } from '../../edge/write-at-pace.ts'
import { route } from '../../route.ts'
import type { StreamWriter } from '../../server/stream-writer.ts'
import { noConversation } from './conversation-view.ts'
import { documents, type ExportDocument } from './export-document.ts'

const pageMessages = 100

export const exportConversation = route({
  method: 'GET',
  path: '/v1/admin/conversations/export',
  summary: 'Download a conversation',
  description:
    'A file: Markdown without superseded answers, or JSON with everything. Messages stored after the request began are not in it.',
  tag: 'conversations',
  access: admin('conversations.read'),
  query: z.object({ conversation_id: ConversationId, format: z.enum(['md', 'json']).default('md') }),
  answers: { 200: { contentType: 'application/octet-stream', description: 'text/markdown or application/json.' } },
  async handle({ app, query, principal }) {
    const conversation = await readConversation(app.db, principal.workspaceId, query.conversation_id)
    if (!conversation) throw noConversation()
    // Read before the answer begins, so that a failure is still an ordinary error.
    const first = await nextPage(app, conversation, 0)
    const document = documents[query.format]
    const disposition = `attachment; filename="conversation-${conversation.id}.${document.extension}"`
    return rawStream(document.contentType, { 'content-disposition': disposition }, (out) =>
      send(app, document, conversation, first, out),
    )
  },
})

function nextPage(
  app: App,
  { id, workspaceId, lastSeq }: ConversationRecord,
  afterSeq: number,
): Promise<MessageRecord[]> {
  return messagesAfter(app.db, workspaceId, id, { afterSeq, upToSeq: lastSeq, limit: pageMessages })
}

async function send(
  app: App,
  document: ExportDocument,
  conversation: ConversationRecord,
  first: MessageRecord[],
  out: StreamWriter,
): Promise<void> {
  await writeAtPace(out, document.begin(conversation))
  let isFirst = true
  for (let page = first; page.length > 0; ) {
    const operators = document === documents.md ? await operatorsOf(app, conversation, page) : none
    for (const message of page) {
      const text = document.message(
        message,
        isFirst,
        message.role === 'user' ? operators.get(message.turnId) : undefined,
      )
      if (text === '') continue
      isFirst = false
      await writeAtPace(out, text)
    }
    if (out.signal.aborted) return
    page = await nextPage(app, conversation, page.at(-1)?.seq ?? conversation.lastSeq)
  }
  await writeAtPace(out, document.end())
}

const none: ReadonlyMap<TurnId, string> = new Map()

/** The logins of operators who began turns in the sender's place. */
async function operatorsOf(
  { db }: App,
  { workspaceId }: ConversationRecord,
  messages: readonly MessageRecord[],
): Promise<ReadonlyMap<TurnId, string>> {
  const begun = await turnsOfOperators(db, workspaceId, [...new Set(messages.map(({ turnId }) => turnId))])
  const logins = await operatorLogins(db, [...new Set([...begun.values()].flatMap((id) => id ?? []))])
  return new Map([...begun].map(([turn, id]) => [turn, (id && logins.get(id)) ?? '']))
}
