/** A database whose owner is no superuser, as hosted ones are: the chain and its retention work there too. */
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { deleteAuditEntries } from '../../src/store/audit.ts'
import { verifyAudit } from '../../src/store/audit-chain.ts'
import { openDatabase } from '../../src/store/database.ts'
import { firstWorkspaceId } from '../../src/store/id.ts'
import { migrate } from '../../src/store/migrate.ts'
import { asOwner, freshAddress } from '../support/database.ts'
import { ancient, audited } from './support/audit.ts'

test('an owner without special rights can migrate, add, delete what is old, and verify', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  const owner = `owner_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await asOwner(`create role ${owner} login password '${password}' in role service_system, service_tenant`)
  await asOwner(`alter database ${address.database} owner to ${owner}`)
  onTestFinished(async () => {
    await drop()
    await asOwner(`drop role ${owner}`)
  })
  const own = { ...address, user: owner, password }
  await migrate(own, pino({ level: 'silent' }))
  const db = openDatabase(own)
  onTestFinished(() => db.close())

  await ancient(db, 40, 20)
  await audited(db)
  expect(await deleteAuditEntries(db, new Date(Date.now() - 30 * 86_400_000), 100)).toBeGreaterThan(5)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, headSeq: 21 })
})
