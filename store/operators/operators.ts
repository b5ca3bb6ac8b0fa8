/** Operators: who may sign in, with which password, and their role in each workspace. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, newOperatorId, type OperatorId, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import { type NewPasswordLink, storePasswordLink } from './password-links.ts'

export type OperatorRole = 'owner' | 'admin' | 'operator' | 'auditor' | 'user'

export interface RoleGrant {
  workspaceId: WorkspaceId
  role: OperatorRole
}

export interface Operator {
  id: OperatorId
  login: string
  name: string
  isDisabled: boolean
  hasPassword: boolean
  hasTotp: boolean
  passkeys: number
  createdAt: Date
  signedInAt: Date | null
  /** In the order in which they were granted. */
  roles: RoleGrant[]
}

/** What a login is checked against. */
export interface Credentials {
  id: OperatorId
  login: string
  isDisabled: boolean
  passwordHash: string | null
  /** Sealed; null until a code of it was shown. */
  totpSecret: string | null
  hasPasskeys: boolean
}

/** Another operator has this login. */
export class LoginTaken extends Failure {
  readonly code = 'login_taken'
  constructor(login: string) {
    super(`there is an operator ${JSON.stringify(login)} already`)
  }
}

export class AlreadySetUp extends Failure {
  readonly code = 'already_set_up'
  constructor() {
    super('there is an operator already; sign in')
  }
}

export interface NewOperator {
  login: string
  name: string
  passwordHash: string | null
  /** Sets the first password. */
  passwordLink?: NewPasswordLink | undefined
  role: OperatorRole
}

type Row = Omit<RowOf<Operator>, 'roles'> & { roles: RowOf<RoleGrant>[] }

/** The one form in which logins are stored and found: trimmed, NFKC, lower case. */
export function loginOf(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase()
}

export async function countOperators(db: Database): Promise<number> {
  const [row] = await db.system<{ count: number }>`select count(*)::int as count from operators`
  return row?.count ?? 0
}

/** @param options `isFirst`: there must be none yet @throws LoginTaken, AlreadySetUp */
export async function createOperator(
  db: Database,
  operator: NewOperator,
  actor: AuditActor,
  options: { isFirst?: boolean } = {},
): Promise<OperatorId> {
  const id = newOperatorId()
  const login = loginOf(operator.login)
  await db.transaction('system', async (query) => {
    if (options.isFirst) {
      // One at a time, so that two at once cannot both be first.
      await query`lock table operators in share row exclusive mode`
      const [row] = await query<{ count: number }>`select count(*)::int as count from operators`
      if ((row?.count ?? 0) > 0) throw new AlreadySetUp()
    }
    const created = await query`
      insert into operators (id, login, name, password_hash, created_by)
      values (${uuidOf(id)}, ${login}, ${operator.name}, ${operator.passwordHash}, ${actor.name})
      on conflict (login) do nothing returning id`
    if (created.length === 0) throw new LoginTaken(login)
    await query`
      insert into operator_roles (operator_id, workspace_id, role, granted_by)
      values (${uuidOf(id)}, ${uuidOf(actor.workspaceId)}, ${operator.role}, ${actor.name})`
    if (operator.passwordLink) await storePasswordLink(query, id, operator.passwordLink)
    const after = { login, name: operator.name, role: operator.role }
    await writeAudit(query, { actor, action: 'operator.create', target: id, summary: { after } })
  })
  return id
}

export function findCredentials(db: Database, login: string): Promise<Credentials | undefined> {
  return credentialsWhere(db, { login: loginOf(login), id: null })
}

export function credentialsOf(db: Database, id: OperatorId): Promise<Credentials | undefined> {
  return credentialsWhere(db, { login: null, id: uuidOf(id) })
}

/** @param one the operator's login or id */
async function credentialsWhere(
  db: Database,
  one: { login: string | null; id: string | null },
): Promise<Credentials | undefined> {
  const [row] = await db.system<RowOf<Credentials>>`
    select id, login, is_disabled as "isDisabled", password_hash as "passwordHash",
      case when totp_confirmed_at is not null then totp_secret end as "totpSecret",
      exists (select from operator_passkeys p where p.operator_id = operators.id) as "hasPasskeys"
    from operators where login = ${one.login}::text or id = ${one.id}::uuid`
  return row && { ...row, id: idFrom('oper', row.id) }
}

export interface OperatorFilters {
  only?: OperatorId | undefined
  /** In the login or the name, in any case. */
  text?: string | undefined
  /** In the workspace. */
  role?: OperatorRole | undefined
  isDisabled?: boolean | undefined
  /** An authenticator or a passkey. */
  hasFactor?: boolean | undefined
}

/** By login. @param page `after` is a login, exclusive @param workspace only those who hold a role there; null: all */
export async function listOperators(
  db: Database,
  workspace: WorkspaceId | null,
  page: { after: string | null; limit: number },
  { only, text, role, isDisabled, hasFactor }: OperatorFilters = {},
): Promise<Operator[]> {
  const conditions: Fragment[] = []
  if (page.after !== null) conditions.push(sql`login > ${page.after}::text`)
  if (only) conditions.push(sql`id = ${uuidOf(only)}::uuid`)
  if (text) conditions.push(sql`strpos(login || ' ' || lower(name), lower(${safeText(text)})) > 0`)
  if (isDisabled !== undefined) conditions.push(sql`is_disabled = ${isDisabled}`)
  if (hasFactor !== undefined) conditions.push(sql`${withFactor} = ${hasFactor}`)
  if (workspace) conditions.push(heldIn(workspace, role))
  const rows = await db.system<Row>`
    select id, login, name, is_disabled as "isDisabled", password_hash is not null as "hasPassword",
      totp_confirmed_at is not null as "hasTotp",
      (select count(*)::int from operator_passkeys p where p.operator_id = o.id) as passkeys,
      created_at as "createdAt", signed_in_at as "signedInAt",
      coalesce((select json_agg(json_build_object('workspaceId', r.workspace_id, 'role', r.role) order by r.granted_at)
        from operator_roles r where r.operator_id = o.id), '[]'::json) as roles
    from operators o
    where ${allOf(conditions)}
    order by login limit ${page.limit}`
  return rows.map(operatorFrom)
}

const heldIn = (workspace: WorkspaceId, role: OperatorRole | undefined): Fragment => sql`exists (
  select from operator_roles r where r.operator_id = o.id and r.workspace_id = ${uuidOf(workspace)}::uuid
    and (${role ?? null}::text is null or role = ${role ?? null}::text))`

const withFactor = sql`(totp_confirmed_at is not null or exists (select from operator_passkeys p where p.operator_id = o.id))`

/** Of those of the ids that exist. */
export async function operatorLogins(
  db: Database,
  ids: readonly OperatorId[],
): Promise<ReadonlyMap<OperatorId, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.system<{ id: string; login: string }>`
    select id, login from operators where id = any(${ids.map(uuidOf)}::uuid[])`
  return new Map(rows.map(({ id, login }) => [idFrom('oper', id), login]))
}

export async function readOperator(db: Database, id: OperatorId): Promise<Operator | undefined> {
  const [operator] = await listOperators(db, null, { after: null, limit: 1 }, { only: id })
  return operator
}

/** By the operator. False: there is no such operator, or the password was changed in the meantime. */
export async function setPassword(
  db: Database,
  id: OperatorId,
  { before, after }: { before: string; after: string },
  actor: AuditActor,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const rows = await query`
      update operators set password_hash = ${after} where id = ${uuidOf(id)} and password_hash = ${before} returning id`
    if (rows.length === 0) return false
    await writeAudit(query, { actor, action: 'operator.password', target: id })
    return true
  })
}

function operatorFrom(row: Row): Operator {
  return {
    ...row,
    id: idFrom('oper', row.id),
    roles: row.roles.map(({ workspaceId, role }) => ({ workspaceId: idFrom('ws', workspaceId), role })),
  }
}
