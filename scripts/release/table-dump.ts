/** A database as text: for each table its rows in the form of `COPY`, then where its sequences stand. The schema is left to the migrations. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'

type Driver = ReturnType<typeof openPool>

/** One connection: what is set for a session counts for every statement. */
async function onOneConnection<Result>(address: DatabaseAddress, work: (driver: Driver) => Promise<Result>) {
  const driver = openPool(address, { name: 'tables', connectionsMax: 1, statementMs: 0 })
  try {
    return await work(driver)
  } finally {
    await driver.end({ timeout: 5 })
  }
}

/** Tables by name, each with the columns that can be written. */
function tablesOf(driver: Driver) {
  return driver<{ name: string; columns: string[] }[]>`
    select table_name as name, array_agg(quote_ident(column_name) order by ordinal_position) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_name order by table_name`
}

export function dumpTables(address: DatabaseAddress): Promise<string> {
  return onOneConnection(address, async (driver) => {
    const parts: string[] = []
    for (const { name, columns } of await tablesOf(driver)) {
      const table = `${name} (${columns.join(', ')})`
      const rows = await driver.unsafe(`copy ${table} to stdout`).readable()
      parts.push(`COPY ${table} FROM stdin;\n${await text(rows)}\\.\n`)
    }
    const sequences = await driver<{ name: string; at: string | null }[]>`
      select sequencename as name, last_value::text as at from pg_sequences where schemaname = 'public' order by 1`
    for (const { name, at } of sequences) if (at !== null) parts.push(`SELECT setval('${name}', ${at});\n`)
    return parts.join('')
  })
}

/** Puts what `dumpTables` wrote in the place of all rows. The schema has to be that of the dump. */
export function loadTables(address: DatabaseAddress, dump: string): Promise<void> {
  return onOneConnection(address, async (driver) => {
    // References and triggers were satisfied when the rows were written.
    await driver.unsafe(`set session_replication_role = replica`)
    const names = (await tablesOf(driver)).map(({ name }) => name)
    await driver.unsafe(`truncate ${names.join(', ')}`)
    for (const [, table, rows] of dump.matchAll(/^COPY (.+) FROM stdin;\n((?:.*\n)*?)\\\.\n/gm)) {
      const into = await driver.unsafe(`copy ${table} from stdin`).writable()
      into.end(rows)
      await once(into, 'finish')
    }
    for (const [statement] of dump.matchAll(/^SELECT setval\(.+\);$/gm)) await driver.unsafe(statement)
  })
}
