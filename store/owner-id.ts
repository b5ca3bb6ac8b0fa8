/** Whose a conversation is: one name for a person or a program, whatever way they come. */
import { idFrom, type OperatorId, uuidOf, type WorkspaceId } from './id.ts'
import { type Fragment, sql } from './postgres/sql.ts'

/**
 * operator: a person with an account, by session or personal key. key: a program, by a key that is nobody's. The owner of
 * a channel's conversation is its sender; that one is told by its channel and external id. subject, device: people known
 * elsewhere, and paired devices.
 */
export type OwnerKind = 'operator' | 'key' | 'sender' | 'subject' | 'device'

/** `operator:<uuid>`, `key:<uuid>`, `sender:<uuid of its channel>:<external id>`; UUIDs without hyphens. */
export type OwnerId = string & { readonly ownerId: true }

export const ownerId = (kind: OwnerKind, id: string): OwnerId => `${kind}:${id}` as OwnerId

/** Null: the owner is no operator. */
export function operatorOf(owner: OwnerId): OperatorId | null {
  const [kind, id = ''] = owner.split(':', 2)
  return kind === 'operator' ? idFrom('oper', id) : null
}

/** The conversations that a caller reaches: those of a workspace, or of them one owner's. */
export interface Reach {
  workspaceId: WorkspaceId
  /** Null: everybody's. */
  owner: OwnerId | null
}

/** A condition on `conversations`. */
export const withinReach = ({
  workspaceId,
  owner,
}: Reach): Fragment => sql`conversations.workspace_id = ${uuidOf(workspaceId)}::uuid
  and (${owner}::text is null or conversations.owner = ${owner}::text)`
