/** One PostgreSQL for the whole test run, started the way the service starts its own. Nothing of it outlives the run. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../store/embedded/start.ts'
import { migrate } from '../../store/migrate.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { builtService } from './built-service.ts'
import { templateName } from './database.ts'
import { memoryFolder } from './memory-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Required<Omit<DatabaseAddress, 'url' | 'servers'>>
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Here once, before the processes that run tests would each do it.
  builtService()
  project.onTestsRerun(() => void builtService())
  const dataDir = await mkdtemp(join(memoryFolder(), 'service-test-'))
  await chmod(dataDir, 0o711) // the server's user must get through when the tests run as root
  await mkdir(join(dataDir, 'postgres'))
  // What is lost by a crash of the machine was a test's.
  await writeFile(join(dataDir, 'postgres/operator.conf'), settings)
  const log = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }))
  const server = await startEmbedded({ dataDir, isDataDirExplicit: true, log })
  const { host, port, user, password } = server.address
  if (host === undefined || port === undefined || user === undefined || password === undefined)
    throw new Error('socket')
  await makeTemplate(server.address)
  project.provide('postgres', { host, port, user, password, database: templateName })
  return async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const settings = `fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 256MB
max_connections = 200
`

/** A migrated database that others are copied from, which is ten times faster than migrating each. */
async function makeTemplate(address: DatabaseAddress): Promise<void> {
  const driver = openPool(address, { name: 'tests', connectionsMax: 1, statementMs: 0 })
  await driver.unsafe(`create database ${templateName}`)
  await driver.end()
  await migrate({ ...address, database: templateName }, pino({ level: 'silent' }))
}
