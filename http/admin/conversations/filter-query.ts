/** The filters that the list of conversations and its facets share. */
import { z } from 'zod'
import { badRequest } from '../../error.ts'

/** Empty, as forms send it: no filter. */
export const filterText = z
  .string()
  .trim()
  .max(200)
  .optional()
  .transform((filter) => filter || undefined)

export const instant = z.iso
  .datetime({ offset: true })
  .optional()
  .transform((time) => (time === undefined ? undefined : new Date(time)))

export const ConversationFilterQuery = z.object({
  tag: filterText,
  folder: filterText,
  channel: filterText.describe('The name of a channel.'),
  since: instant.describe('Created at this instant or later.'),
  until: instant.describe('Created before this instant.'),
})

/** @throws ApiError bad_request where no instant is within the period */
export function checkedPeriod({ since, until }: { since?: Date | undefined; until?: Date | undefined }): void {
  if (since && until && since >= until) throw badRequest('until is not later than since', 'until')
}
