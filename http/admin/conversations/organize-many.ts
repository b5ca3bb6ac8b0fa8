/** `POST /v1/admin/conversations/organize-many`: sets folder and tags of many conversations, after counting them. */
import { z } from 'zod'
import {
  countToOrganize,
  organizedCountMax,
  organizedMax,
  organizeMany,
  tagsMax,
} from '../../../store/conversations/bulk.ts'
import { ConversationId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { countedAt } from '../counted-at.ts'
import { NewFolder, Tags } from './organize.ts'

const text = z.string().trim().min(1).max(200).optional()

const OrganizeMany = z.strictObject({
  conversation_ids: z.array(ConversationId).min(1).max(organizedMax).optional().describe('These, instead of a filter.'),
  filter: z
    .strictObject({ folder: text, tag: text, channel: text })
    .optional()
    .describe('As in the list; empty: all of the workspace.'),
  folder: NewFolder.describe('Null or empty: no folder. Left out: unchanged.'),
  add_tags: Tags.default([]),
  remove_tags: Tags.default([]),
  as_of: z.iso.datetime().optional(),
})

export const organizeManyRoute = route({
  method: 'POST',
  path: '/v1/admin/conversations/organize-many',
  summary: 'Set folder and tags of many conversations',
  description: `Without as_of nothing changes: the answer has their number and the time of the count. With that time as as_of, the newest ${organizedMax} that have not changed since are changed; repeat while has_more is true. A conversation has at most ${tagsMax} tags; further ones are not added.`,
  tag: 'conversations',
  access: admin('conversations.write'),
  body: OrganizeMany,
  answers: {
    200: z.object({
      count: z
        .int()
        .describe(`Without as_of: those that would be changed, at most ${organizedCountMax + 1}; with it: as changed.`),
      as_of: z.iso.datetime(),
      changed: z.int(),
      has_more: z.boolean(),
    }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const { conversation_ids: ids, filter, folder, add_tags: addTags, remove_tags: removeTags } = body
    if ((ids === undefined) === (filter === undefined))
      throw badRequest('Exactly one of conversation_ids and filter is required.', 'conversation_ids')
    if (folder === undefined && addTags.length === 0 && removeTags.length === 0)
      throw badRequest('There is nothing to set: give a folder or tags.', 'folder')
    if (addTags.some((tag) => removeTags.includes(tag)))
      throw badRequest('A tag cannot be both added and removed.', 'remove_tags')
    const selection = ids ? { ids } : { filter: filter ?? {} }
    const order = { folder, addTags, removeTags }
    if (body.as_of === undefined) {
      const { count, asOf } = await countToOrganize(app.db, principal.workspaceId, selection, order)
      return { count, as_of: asOf.toISOString(), changed: 0, has_more: count > 0 }
    }
    const asOf = await countedAt(app.db, principal.workspaceId, body.as_of)
    const changed = await organizeMany(app.db, auditActor(call), selection, order, asOf)
    return { count: changed, as_of: body.as_of, changed, has_more: changed === organizedMax }
  },
})
