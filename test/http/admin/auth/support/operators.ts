/** Operators for tests of signing in: the first by the setup code, others straight in the store with the first one's password. */

import { firstWorkspaceId, type OperatorId } from '../../../../../src/store/id.ts'
import { createOperator, type OperatorRole } from '../../../../../src/store/operators.ts'
import type { GatewayUnderTest } from '../../../../support/gateway.ts'
import type { Browser } from './browser.ts'

export const password = 'correct horse battery'

export const actor = { workspaceId: firstWorkspaceId, name: 'test', ip: '', requestId: '' }

/** Signs in as the first operator, `ada`, an owner. */
export async function firstOperator(service: GatewayUnderTest, page: Browser): Promise<void> {
  const made = await page.post('/v1/admin/auth/setup', { code: service.gateway.setupCode, login: 'ada', password })
  if (made.status !== 201) throw new Error(`the first operator was not made: ${JSON.stringify(made.body)}`)
}

/** With ada's password: hashing another would tell nothing new and take its time. */
export async function anotherOperator(
  { db }: GatewayUnderTest,
  login: string,
  role: OperatorRole = 'admin',
): Promise<OperatorId> {
  const [ada] = await db.system<{ hash: string }>`select password_hash as hash from operators where login = 'ada'`
  return await createOperator(db, { login, name: '', passwordHash: ada?.hash ?? null, role }, actor)
}

/** What the audit log holds, oldest first. */
export async function audited({ db }: GatewayUnderTest, prefix: string): Promise<string[]> {
  const rows = await db.within(firstWorkspaceId)<{ action: string; actor: string }>`
    select action, actor from audit_log where action like ${`${prefix}%`} order by id`
  return rows.map(({ action, actor }) => `${actor} ${action}`)
}
