/** Operators: who may sign in, with what password, and which role they hold where; made and found here. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, newOperatorId, type OperatorId, uuidOf, type WorkspaceId } from '../id.ts'

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

/** There are operators already: the first one is made once. */
export class AlreadySetUp extends Failure {
  readonly code = 'already_set_up'
  constructor() {
    super('the first operator was made already; sign in')
  }
}

export interface NewOperator {
  login: string
  name: string
  passwordHash: string | null
  role: OperatorRole
}

interface Row {
  id: string
  login: string
  name: string
  is_disabled: boolean
  has_password: boolean
  has_totp: boolean
  passkeys: number
  created_at: Date
  signed_in_at: Date | null
  roles: { workspace_id: string; role: OperatorRole }[]
}

/** One form of a login for storing and finding: no blanks around it, NFKC, lower case. */
export function loginOf(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase()
}

export async function countOperators(db: Database): Promise<number> {
  const [row] = await db.system<{ count: number }>`select count(*)::int as count from operators`
  return row?.count ?? 0
}

/** @param isFirst there must be none yet @throws LoginTaken, AlreadySetUp */
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
      // One at a time, so that two who come at once cannot both be first.
      await query`lock table operators in share row exclusive mode`
      const [row] = await query<{ count: number }>`select count(*)::int as count from operators`
      if ((row?.count ?? 0) > 0) throw new AlreadySetUp()
    }
    const made = await query`
      insert into operators (id, login, name, password_hash, created_by)
      values (${uuidOf(id)}, ${login}, ${operator.name}, ${operator.passwordHash}, ${actor.name})
      on conflict (login) do nothing returning id`
    if (made.length === 0) throw new LoginTaken(login)
    await query`
      insert into operator_roles (operator_id, workspace_id, role, granted_by)
      values (${uuidOf(id)}, ${uuidOf(actor.workspaceId)}, ${operator.role}, ${actor.name})`
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

/** @param one names the operator by the one or the other */
async function credentialsWhere(
  db: Database,
  one: { login: string | null; id: string | null },
): Promise<Credentials | undefined> {
  const [row] = await db.system<CredentialsRow>`
    select id, login, is_disabled, password_hash, case when totp_confirmed_at is not null then totp_secret end as totp_secret,
      exists (select from operator_passkeys p where p.operator_id = operators.id) as has_passkeys
    from operators where login = ${one.login}::text or id = ${one.id}::uuid`
  return row && credentialsFrom(row)
}

/** By login. @param page `after` is a login, exclusive @param workspace only those who hold a role there; null: all */
export async function listOperators(
  db: Database,
  workspace: WorkspaceId | null,
  page: { after: string | null; limit: number },
  only: OperatorId | null = null,
): Promise<Operator[]> {
  const [place, id] = [workspace && uuidOf(workspace), only && uuidOf(only)]
  const rows = await db.system<Row>`
    select id, login, name, is_disabled, password_hash is not null as has_password, totp_confirmed_at is not null as has_totp,
      (select count(*)::int from operator_passkeys p where p.operator_id = o.id) as passkeys, created_at, signed_in_at,
      coalesce((select json_agg(json_build_object('workspace_id', r.workspace_id, 'role', r.role) order by r.granted_at)
        from operator_roles r where r.operator_id = o.id), '[]'::json) as roles
    from operators o
    where (${page.after}::text is null or login > ${page.after}::text)
      and (${id}::uuid is null or id = ${id}::uuid)
      and (${place}::uuid is null
        or exists (select from operator_roles r where r.operator_id = o.id and r.workspace_id = ${place}::uuid))
    order by login limit ${page.limit}`
  return rows.map(operatorFrom)
}

export async function readOperator(db: Database, id: OperatorId): Promise<Operator | undefined> {
  const [operator] = await listOperators(db, null, { after: null, limit: 1 }, id)
  return operator
}

/** One's own. False: there is no such operator, or the password is another one by now. */
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

interface CredentialsRow {
  id: string
  login: string
  is_disabled: boolean
  password_hash: string | null
  totp_secret: string | null
  has_passkeys: boolean
}

function credentialsFrom(row: CredentialsRow): Credentials {
  return {
    id: idFrom('oper', row.id),
    login: row.login,
    isDisabled: row.is_disabled,
    passwordHash: row.password_hash,
    totpSecret: row.totp_secret,
    hasPasskeys: row.has_passkeys,
  }
}

function operatorFrom(row: Row): Operator {
  return {
    id: idFrom('oper', row.id),
    login: row.login,
    name: row.name,
    isDisabled: row.is_disabled,
    hasPassword: row.has_password,
    hasTotp: row.has_totp,
    passkeys: row.passkeys,
    createdAt: row.created_at,
    signedInAt: row.signed_in_at,
    roles: row.roles.map(({ workspace_id, role }) => ({ workspaceId: idFrom('ws', workspace_id), role })),
  }
}
