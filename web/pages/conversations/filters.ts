/** The filters of the list of conversations, as they stand in the address: under the names that the API has for them. */
import type { Answer } from '../../api/types.ts'

export type ConversationRow = Answer<'GET /v1/admin/conversations'>['conversations'][number]

/** `open` is the conversation beside the list. */
export const noFilters = {
  text: '',
  channel: '',
  folder: '',
  tag: '',
  since: '',
  until: '',
  order: 'active',
  open: '',
}
export type ConversationFilters = typeof noFilters

const facetNames = ['channel', 'folder', 'tag', 'since', 'until'] as const

/** What the API counts by: a search by text is not among it. */
export function facetQueryOf(filters: ConversationFilters) {
  return Object.fromEntries(facetNames.flatMap((name) => (filters[name] === '' ? [] : [[name, filters[name]]])))
}

/** A search finds in the order in which conversations were made. */
export function queryOf(filters: ConversationFilters) {
  const text = filters.text.trim()
  const order = text === '' && filters.order === 'active' ? ('active' as const) : ('created' as const)
  return { ...facetQueryOf(filters), ...(text !== '' && { text }), order }
}
