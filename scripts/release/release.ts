/** The releases under `test/fixtures/releases/`, from which upgrades are tested: each packed, with a small database that it has written. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { packageFolder } from '../../runtime/package.ts'

const folder = join(packageFolder, 'test/fixtures/releases')

/** Their databases are sealed with it. They hold nothing that anybody has to keep from others. */
export const releaseMasterKey = '0123456789abcdef'.repeat(4)

/** Versions, oldest first. */
export function releases(): string[] {
  return readdirSync(folder).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
}

export const packageFile = (version: string): string => join(folder, version, 'package.tgz')

/** What `dumpTables` wrote. */
export function releaseDump(version: string): string {
  return gunzipSync(readFileSync(join(folder, version, 'database.sql.gz'))).toString('utf8')
}

/** Unpacks the migrations that the release brought into a folder. @returns that of the SQL files */
export function unpackMigrations(version: string, into: string): string {
  execFileSync('tar', [
    '-xzf',
    packageFile(version),
    '-C',
    into,
    '--strip-components=2',
    'package/dist/store/migrations',
  ])
  return join(into, 'store/migrations')
}
