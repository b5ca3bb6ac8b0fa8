/** Identifiers: UUIDv7 inside, `<prefix>_<32 hex digits>` outside, a branded type for each kind. */
import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { z } from 'zod'

function identifier<Brand extends string>(prefix: string, _brand: Brand) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be ${prefix}_ and 32 hexadecimal digits`)
    .brand<Brand>()
}

export const WorkspaceId = identifier('ws', 'WorkspaceId')
export type WorkspaceId = z.infer<typeof WorkspaceId>

export const ConversationId = identifier('conv', 'ConversationId')
export type ConversationId = z.infer<typeof ConversationId>

export const MessageId = identifier('msg', 'MessageId')
export type MessageId = z.infer<typeof MessageId>

export const TurnId = identifier('turn', 'TurnId')
export type TurnId = z.infer<typeof TurnId>

export const ApiKeyId = identifier('key', 'ApiKeyId')
export type ApiKeyId = z.infer<typeof ApiKeyId>

export const ChannelId = identifier('chan', 'ChannelId')
export type ChannelId = z.infer<typeof ChannelId>

export const DeliveryId = identifier('dlv', 'DeliveryId')
export type DeliveryId = z.infer<typeof DeliveryId>

export const AuditId = identifier('aud', 'AuditId')
export type AuditId = z.infer<typeof AuditId>

export const AgentId = identifier('agent', 'AgentId')
export type AgentId = z.infer<typeof AgentId>

export const ApprovalId = identifier('appr', 'ApprovalId')
export type ApprovalId = z.infer<typeof ApprovalId>

export const OperatorId = identifier('oper', 'OperatorId')
export type OperatorId = z.infer<typeof OperatorId>

export const SessionId = identifier('sess', 'SessionId')
export type SessionId = z.infer<typeof SessionId>

type AnyId =
  | WorkspaceId
  | ConversationId
  | MessageId
  | TurnId
  | ApiKeyId
  | ChannelId
  | DeliveryId
  | AuditId
  | AgentId
  | ApprovalId
  | OperatorId
  | SessionId

const prefixes = {
  ws: 'ws',
  conv: 'conv',
  msg: 'msg',
  turn: 'turn',
  key: 'key',
  chan: 'chan',
  dlv: 'dlv',
  aud: 'aud',
  agent: 'agent',
  appr: 'appr',
  oper: 'oper',
  sess: 'sess',
} as const

/** Random bytes for many identifiers at once: one call into the system for each would be a good part of making it. */
const pool = Buffer.alloc(16 * 512)
let poolAt = pool.length
let sequenceMs = 0
let sequence = 0

function fresh<Id extends AnyId>(prefix: keyof typeof prefixes): Id {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const random = pool.subarray(poolAt, poolAt + 16)
  poolAt += 16
  const nowMs = Date.now()
  // Within a millisecond they count up, so that they sort in the order of their making.
  sequence = nowMs === sequenceMs ? sequence + 1 : random.readUInt32BE() >>> 1
  sequenceMs = nowMs
  v7({ random, msecs: nowMs, seq: sequence }, bytes)
  return `${prefix}_${bytes.toString('hex')}` as Id
}

const bytes = Buffer.alloc(16)

export const newWorkspaceId = (): WorkspaceId => fresh('ws')
export const newConversationId = (): ConversationId => fresh('conv')
export const newMessageId = (): MessageId => fresh('msg')
export const newTurnId = (): TurnId => fresh('turn')
export const newApiKeyId = (): ApiKeyId => fresh('key')
export const newChannelId = (): ChannelId => fresh('chan')
export const newDeliveryId = (): DeliveryId => fresh('dlv')
export const newAuditId = (): AuditId => fresh('aud')
export const newAgentId = (): AgentId => fresh('agent')
export const newApprovalId = (): ApprovalId => fresh('appr')
export const newOperatorId = (): OperatorId => fresh('oper')
export const newSessionId = (): SessionId => fresh('sess')

/** The UUID inside an identifier, without dashes, as PostgreSQL takes it. */
export function uuidOf(id: AnyId): string {
  return id.slice(id.indexOf('_') + 1)
}

/** The identifier around a UUID as PostgreSQL gives it (with or without dashes). */
export function idFrom<Id extends AnyId>(prefix: keyof typeof prefixes, uuid: string): Id {
  return `${prefix}_${uuid.replaceAll('-', '')}` as Id
}

/** The workspace that exists from the first migration on; SERVICE_DEFAULT_WORKSPACE_ID names another. */
export const firstWorkspaceId = 'ws_00000000000070008000000000000001' as WorkspaceId
