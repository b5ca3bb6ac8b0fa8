/** Identifiers: UUIDv7 inside, `<prefix>_<32 hex digits>` outside, a branded type for each kind. */
import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { z } from 'zod'

/** Every kind of identifier: its prefix, and the name of its type. */
const kinds = {
  ws: 'WorkspaceId',
  conv: 'ConversationId',
  msg: 'MessageId',
  turn: 'TurnId',
  key: 'ApiKeyId',
  chan: 'ChannelId',
  dlv: 'DeliveryId',
  aud: 'AuditId',
  agent: 'AgentId',
  appr: 'ApprovalId',
  oper: 'OperatorId',
  sess: 'SessionId',
  resp: 'ResponseId',
  sub: 'SubscriptionId',
  out: 'SubscriptionDeliveryId',
  alrt: 'AlertId',
  bud: 'BudgetId',
  media: 'MediaId',
} as const
type Prefix = keyof typeof kinds

/** The identifiers that begin with `Kind`. */
export type IdOf<Kind extends Prefix> = string & z.$brand<(typeof kinds)[Kind]>
type AnyId = { [Kind in Prefix]: IdOf<Kind> }[Prefix]

/** A record as a statement returns it: a UUID stands in the place of each identifier. */
export type RowOf<Fields> = {
  [Field in keyof Fields]: Fields[Field] extends AnyId | null ? string | Extract<Fields[Field], null> : Fields[Field]
}

function identifier<Kind extends Prefix>(prefix: Kind) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be ${prefix}_ and 32 hexadecimal digits`)
    .brand<(typeof kinds)[Kind]>()
}

export const WorkspaceId = identifier('ws')
export type WorkspaceId = IdOf<'ws'>

export const ConversationId = identifier('conv')
export type ConversationId = IdOf<'conv'>

export const MessageId = identifier('msg')
export type MessageId = IdOf<'msg'>

export const TurnId = identifier('turn')
export type TurnId = IdOf<'turn'>

export const ApiKeyId = identifier('key')
export type ApiKeyId = IdOf<'key'>

export const ChannelId = identifier('chan')
export type ChannelId = IdOf<'chan'>

export const DeliveryId = identifier('dlv')
export type DeliveryId = IdOf<'dlv'>

export const AuditId = identifier('aud')
export type AuditId = IdOf<'aud'>

export const AgentId = identifier('agent')
export type AgentId = IdOf<'agent'>

export const ApprovalId = identifier('appr')
export type ApprovalId = IdOf<'appr'>

export const OperatorId = identifier('oper')
export type OperatorId = IdOf<'oper'>

export const SessionId = identifier('sess')
export type SessionId = IdOf<'sess'>

/** A response has the UUID of its turn. */
export const ResponseId = identifier('resp')
export type ResponseId = IdOf<'resp'>

export const SubscriptionId = identifier('sub')
export type SubscriptionId = IdOf<'sub'>

/** What one subscription is sent of one event. */
export const SubscriptionDeliveryId = identifier('out')
export type SubscriptionDeliveryId = IdOf<'out'>

export const AlertId = identifier('alrt')
export type AlertId = IdOf<'alrt'>

export const BudgetId = identifier('bud')
export type BudgetId = IdOf<'bud'>

export const MediaId = identifier('media')
export type MediaId = IdOf<'media'>

export const newWorkspaceId = (): WorkspaceId => newId('ws')
export const newConversationId = (): ConversationId => newId('conv')
export const newMessageId = (): MessageId => newId('msg')
export const newTurnId = (): TurnId => newId('turn')
export const newApiKeyId = (): ApiKeyId => newId('key')
export const newChannelId = (): ChannelId => newId('chan')
export const newDeliveryId = (): DeliveryId => newId('dlv')
export const newAuditId = (): AuditId => newId('aud')
export const newAgentId = (): AgentId => newId('agent')
export const newApprovalId = (): ApprovalId => newId('appr')
export const newOperatorId = (): OperatorId => newId('oper')
export const newSessionId = (): SessionId => newId('sess')
export const newSubscriptionId = (): SubscriptionId => newId('sub')
export const newSubscriptionDeliveryId = (): SubscriptionDeliveryId => newId('out')
export const newAlertId = (): AlertId => newId('alrt')
export const newBudgetId = (): BudgetId => newId('bud')
export const newMediaId = (): MediaId => newId('media')

/** Random bytes for many identifiers at once: one system call for each would be a good part of making it. */
const pool = Buffer.alloc(16 * 512)
let poolAt = pool.length
let sequenceMs = 0
let sequence = 0
const bytes = Buffer.alloc(16)

function newId<Kind extends Prefix>(prefix: Kind): IdOf<Kind> {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const random = pool.subarray(poolAt, poolAt + 16)
  poolAt += 16
  const nowMs = Date.now()
  // Those of one millisecond count up, so that they sort in the order in which they were made.
  sequence = nowMs === sequenceMs ? sequence + 1 : random.readUInt32BE() >>> 1
  sequenceMs = nowMs
  v7({ random, msecs: nowMs, seq: sequence }, bytes)
  return `${prefix}_${bytes.toString('hex')}` as IdOf<Kind>
}

/** The UUID inside an identifier, without dashes, as PostgreSQL takes it. */
export function uuidOf(id: AnyId): string {
  return id.slice(id.indexOf('_') + 1)
}

/** The identifier around a UUID as PostgreSQL returns it (with or without dashes); null stays null. */
export function idFrom<Kind extends Prefix>(prefix: Kind, uuid: string): IdOf<Kind>
export function idFrom<Kind extends Prefix>(prefix: Kind, uuid: string | null): IdOf<Kind> | null
export function idFrom<Kind extends Prefix>(prefix: Kind, uuid: string | null): IdOf<Kind> | null {
  return uuid === null ? null : (`${prefix}_${uuid.replaceAll('-', '')}` as IdOf<Kind>)
}

/** The least UUID that is made at this instant, in milliseconds since 1970. */
export function firstUuidAt(ms: number): string {
  return Math.min(Math.max(0, ms), 0xffff_ffff_ffff).toString(16).padStart(12, '0').padEnd(32, '0')
}

/** The workspace that exists from the first migration on; SERVICE_DEFAULT_WORKSPACE_ID names another. */
export const firstWorkspaceId = 'ws_00000000000070008000000000000001' as WorkspaceId
