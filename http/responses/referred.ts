/** Items of stored responses that an input refers to instead of repeating them. */
import { idFrom, type ResponseId } from '../../store/id.ts'
import { readResponses } from '../../store/responses.ts'
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import { badRequest } from '../error.ts'
import { parseItemId } from './ids.ts'
import { outputOf } from './output.ts'
import type { InputItem } from './request.ts'
import { storedForm } from './stored.ts'

/** Responses of one input. */
const responsesMax = 1_000

const none: ReadonlyMap<string, InputItem> = new Map()

export async function referredItems(
  { app, principal }: { app: App; principal: Principal },
  input: readonly InputItem[],
): Promise<ReadonlyMap<string, InputItem>> {
  const references = input.filter(({ type }) => type === 'item_reference')
  if (references.length === 0) return none
  const responses = new Set<ResponseId>()
  for (const { id } of references) {
    const owner = parseItemId(String(id))
    if (owner) responses.add(idFrom('resp', owner.uuid))
  }
  if (responses.size > responsesMax)
    throw badRequest(`The input refers to items of more than ${responsesMax} responses.`, 'input')
  const found = new Map<string, InputItem>()
  for (const record of await readResponses(app.db, reachOf(principal), [...responses])) {
    if (!record.message) continue
    // The model is told what it thought; the client is not.
    const form = { ...storedForm(record), includesSealedReasoning: true }
    for (const item of outputOf(form, record.message, { status: 'completed' }))
      found.set(String(item['id']), item as InputItem)
  }
  return found
}
