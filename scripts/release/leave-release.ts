/**
 * `npm run release:fixture`: leaves this version under `test/fixtures/releases/`, packed, with a small database that it
 * has written: later versions are upgraded from it. A version that was left once is not written again.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packageFolder, version } from '../../runtime/package.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { seed } from '../screenshots/seed.ts'
import { firstOperator, startService } from '../screenshots/service.ts'
import { startStandIns } from '../screenshots/stand-ins.ts'
import { releaseMasterKey } from './release.ts'
import { dumpTables } from './table-dump.ts'

const folder = join(packageFolder, 'test/fixtures/releases', version)
if (existsSync(folder)) throw new Error(`${folder} is there: a release is left once`)
mkdirSync(folder, { recursive: true })

execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', folder], {
  cwd: packageFolder,
  stdio: 'inherit',
})
renameSync(join(folder, `agent-platform-service-${version}.tgz`), join(folder, 'package.tgz'))

const world = await startStandIns()
try {
  const service = await startService({
    SERVICE_MASTER_KEY: releaseMasterKey,
    SERVICE_LLM_GATEWAY_URL: `http://${world.host}/v1`,
    SERVICE_LLM_MODEL: 'local-large',
    SERVICE_LLM_RETRIES: '0',
    SERVICE_HTTP_ALLOWLIST: world.host,
    SERVICE_INBOUND_REQUIRE_BINDING: 'false',
  })
  try {
    const operator = await firstOperator(service)
    await seed(service, operator, world.host)
    await operator.post('/v1/admin/settings', { set: { SERVICE_NATIVE_API_KEY: 'sealed by an older version' } })
    const running = await findEmbedded({ dataDir: service.dataDir, isDataDirExplicit: true })
    if (!running) throw new Error('the database of the service was not found')
    writeFileSync(join(folder, 'database.sql.gz'), gzipSync(await dumpTables(running.address), { level: 9 }))
  } finally {
    await service.stop()
  }
} finally {
  world.close()
}
console.log(`left in ${folder}`)
