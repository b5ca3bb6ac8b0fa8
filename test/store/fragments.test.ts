/** Fragments of SQL within statements, what is left of those, and that the conditions written with them are served by the indexes made for them. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ConversationId, idFrom, newChannelId, newConversationId, uuidOf } from '../../store/id.ts'
import type { Query } from '../../store/postgres/query.ts'
import { allOf, type Fragment, sql } from '../../store/postgres/sql.ts'
import { openStatuses } from '../../store/turns/status.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
})
afterEach(() => fresh.drop())

test('fragments within fragments become part of the statement, and their values are bound in order', async () => {
  const inner = sql`${1}::int + ${sql`${2}::int`}`
  const [row] = await fresh.db.system<{ sum: number; text: string; all: boolean; none: boolean }>`
    select ${inner} + ${3}::int as sum, ${"'; drop table turns; --"}::text as text,
      ${allOf([sql`true`, sql`${4}::int = 4`])} as all, ${allOf([])} as none`
  expect(row).toEqual({ sum: 6, text: "'; drop table turns; --", all: true, none: true })
})

test('a statement with fragments leaves nothing of its values in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const values: WeakRef<Buffer>[] = []
  for (let at = 0; at < 50; at++) {
    const value = Buffer.alloc(1_000)
    values.push(new WeakRef(value))
    await fresh.db.system`select octet_length(${value}::bytea) where ${sql`${at}::int >= 0`}`
  }
  await new Promise(setImmediate)
  collectGarbage()
  // The driver keeps those of the first.
  expect(values.filter((value) => value.deref()).length).toBeLessThan(5)
})

test('an identifier has the kind of its prefix', () => {
  const channel = newChannelId()
  // @ts-expect-error a conversation's id is not made with the prefix of channels
  const wrong: ConversationId = idFrom('chan', uuidOf(channel))
  expect(wrong).toBe(channel)
  expect(idFrom('conv', null)).toBeNull()
})

/** Tables of tests are small: without this the server reads them whole. */
async function plan(query: Query, condition: Fragment): Promise<string> {
  await query`set local enable_seqscan = off`
  const rows = await query<{ 'QUERY PLAN': string }>`explain select id from turns where ${condition}`
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('the queue of a conversation is read from its partial index, whatever part of the open turns is asked for', async () => {
  const of = sql`conversation_id = ${uuidOf(newConversationId())}::uuid and origin <> 'call'`
  const conditions = [
    sql`${of} and status in ${openStatuses}`,
    sql`${of} and status in ('queued', 'running')`,
    sql`${of} and status = 'queued'`,
    sql`${of} and (status = 'waiting' or status = 'running' and epoch <> ${1}::bigint)`,
  ]
  for (const condition of conditions) {
    const planText = await fresh.db.transaction('system', (query) => plan(query, condition))
    expect(planText).toContain('turns_queue')
  }
})
