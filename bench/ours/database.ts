/** A built-in database for programs that measure themselves: as the service starts it, fsync and all. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../runtime/log/log.ts'
import { startEmbedded } from '../../store/embedded/start.ts'
import { migrate } from '../../store/migrate.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'

export async function withDatabase<Result>(work: (address: DatabaseAddress) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'))
  await chmod(dataDir, 0o711)
  const log = createLog({ level: 'error' })
  const server = await startEmbedded({ dataDir, isDataDirExplicit: true, log })
  try {
    await migrate(server.address, log)
    return await work(server.address)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** As a client of another product wants it: over the socket of the same server. */
export function urlOf(address: DatabaseAddress): string {
  if (address.url !== undefined) throw new Error('the built-in database has no URL')
  const { host, port, database, user, password } = address
  return `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(String(host))}&port=${port}`
}
