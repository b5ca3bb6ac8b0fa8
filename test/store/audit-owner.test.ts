/** A database whose owner is no superuser, as hosted ones are: the service is set up and upgraded there too, and the chain holds. */
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { deleteAuditEntries } from '../../store/audit/audit.ts'
import { verifyAudit } from '../../store/audit/chain.ts'
import { openDatabase } from '../../store/database.ts'
import { firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { asOwner, freshAddress } from '../support/database.ts'
import { ancient, audited } from './support/audit.ts'

const silent = pino({ level: 'silent' })

/** The last migration before operators and the chain. */
const before = 4

interface Owned {
  /** As the owner. */
  own: DatabaseAddress
  /** The same database as a superuser. */
  address: DatabaseAddress
}

/** @param granted how the owner holds the two roles */
async function owned(granted: string): Promise<Owned> {
  const { address, drop } = await freshAddress({ isEmpty: true })
  const owner = `owner_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await asOwner(`create role ${owner} login createrole password '${password}'`)
  await asOwner(`grant service_system, service_tenant to ${owner} ${granted}`)
  await asOwner(`alter database ${address.database} owner to ${owner}`)
  onTestFinished(async () => {
    await drop()
    await asOwner(`drop role ${owner}`)
  })
  return { own: { ...address, user: owner, password }, address }
}

test.each([
  ['was given the roles', ''],
  // What PostgreSQL 16 and later leave to whoever made a role without being a superuser.
  ['made the roles', 'with admin true, inherit false, set false'],
])('an owner who %s can migrate, add, delete what is old, and verify', async (_, granted) => {
  const { own } = await owned(granted)
  await migrate(own, silent)
  const db = openDatabase(own)
  onTestFinished(() => db.close())

  await ancient(db, 40, 20)
  await audited(db)
  expect(await deleteAuditEntries(db, new Date(Date.now() - 30 * 86_400_000), 100)).toBeGreaterThan(5)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, headSeq: 21 })
})

test('an owner without special rights can upgrade a log that has entries', async () => {
  const { own, address } = await owned('')
  const migrations = await readMigrations()
  await migrate(own, silent, { migrations: migrations.slice(0, before) })
  const old = openDatabase(address)
  await old.system`
    insert into audit_log (id, workspace_id, actor, action, ip, request_id)
    select gen_random_uuid(), ${uuidOf(firstWorkspaceId)}, 'anna', 'test', '::1', 'r' from generate_series(1, 3)`
  await old.close()

  expect(await migrate(own, silent)).toHaveLength(migrations.length - before)

  const db = openDatabase(own)
  onTestFinished(() => db.close())
  await audited(db)
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ problem: null, rows: 4, headSeq: 4 })
})
