/** Whether a database has what this version needs, and nothing that this version cannot work with. */

import type { Migration } from './migration-files.ts'
import type { Query } from './postgres/query.ts'

export interface AppliedMigration {
  number: number
  name: string
  checksum: string
  safeFor: string | null
}

export interface SchemaStanding {
  /** Migrations of this version that the database lacks. */
  missing: Migration[]
  /** Migrations of this version that were applied with another content. */
  changed: Migration[]
  /** Migrations of other versions with which this one must not run. */
  unsafe: AppliedMigration[]
}

/** `pending`: something is to be applied. `newer`: a newer version changed what this one needs. */
export type SchemaState = 'ready' | 'pending' | 'newer'

interface OwnSchema {
  migrations: Migration[]
  version: string
}

export function schemaStanding({ migrations, version }: OwnSchema, applied: AppliedMigration[]): SchemaStanding {
  const own = new Set(migrations.map(({ number }) => number))
  const stored = new Map(applied.map((row) => [row.number, row]))
  return {
    missing: migrations.filter(({ number }) => !stored.has(number)),
    changed: migrations.filter(({ number, checksum }) => (stored.get(number)?.checksum ?? checksum) !== checksum),
    unsafe: applied.filter((row) => !own.has(row.number) && !isAtLeast(version, row.safeFor)),
  }
}

export function stateOf({ missing, changed, unsafe }: SchemaStanding): SchemaState {
  if (unsafe.length > 0 || changed.length > 0) return 'newer'
  return missing.length > 0 ? 'pending' : 'ready'
}

/** One query, of as many rows as there are migrations. */
export async function schemaState(system: Query, own: OwnSchema): Promise<SchemaState> {
  return stateOf(schemaStanding(own, await appliedMigrations(system)))
}

/** By JSON, because databases of earlier versions do not have the column, and it may come while this version runs. */
export function appliedMigrations(
  query: (text: TemplateStringsArray) => PromiseLike<AppliedMigration[]>,
): PromiseLike<AppliedMigration[]> {
  return query`
    select number, name, checksum, to_jsonb(applied) ->> 'safe_for' as "safeFor" from schema_migrations applied order by number`
}

/** Compares the numbers of two versions; what follows them, such as `-rc.1`, does not count. */
function isAtLeast(version: string, oldest: string | null): boolean {
  const [own, least] = [numbersOf(version), numbersOf(oldest ?? '')]
  if (!own || !least) return false
  const at = own.findIndex((number, index) => number !== least[index])
  return at === -1 || (own[at] ?? 0) > (least[at] ?? 0)
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+].*)?$/.exec(version)?.slice(1).map(Number)
}
