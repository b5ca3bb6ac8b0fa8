/** Operators for tests of signing in: the first by the setup code, others straight in the store with the first one's password. */

import { hash } from '@node-rs/argon2'
import { firstWorkspaceId, type OperatorId } from '../../../../../store/id.ts'
import { createOperator, type OperatorRole } from '../../../../../store/operators/operators.ts'
import type { GatewayUnderTest } from '../../../../support/gateway.ts'
import type { Browser } from './browser.ts'

export const password = 'correct horse battery'

export const actor = { workspaceId: firstWorkspaceId, name: 'test', ip: '', requestId: '' }

/** Signs in as the first operator, `ada`, an owner, whose password costs little to check from then on: it is asked for a hundred times. */
export async function firstOperator(service: GatewayUnderTest, page: Browser): Promise<void> {
  const made = await page.post('/v1/admin/auth/setup', { code: service.gateway.setupCode, login: 'ada', password })
  if (made.status !== 201) throw new Error(`the first operator was not made: ${JSON.stringify(made.body)}`)
  await service.db.system`update operators set password_hash = ${await cheapHash()} where login = 'ada'`
}

/** With ada's password. */
export async function anotherOperator(
  { db }: GatewayUnderTest,
  login: string,
  role: OperatorRole = 'admin',
): Promise<OperatorId> {
  return await createOperator(db, { login, name: '', passwordHash: await cheapHash(), role }, actor)
}

/** A hash says itself what it costs to check. */
const cheapHash = (): Promise<string> => hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 })

/** What the audit log holds, oldest first. */
export async function audited({ db }: GatewayUnderTest, prefix: string): Promise<string[]> {
  const rows = await db.forWorkspace(firstWorkspaceId)<{ action: string; actor: string }>`
    select action, actor from audit_log where action like ${`${prefix}%`} order by id`
  return rows.map(({ action, actor }) => `${actor} ${action}`)
}
