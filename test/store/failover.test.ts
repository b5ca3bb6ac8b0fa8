import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../runtime/time/clock.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { DatabaseDown } from '../../store/errors.ts'
import { listen } from '../../store/listener.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { addressOf } from '../../store/postgres/parse-address.ts'
import { type PostgresServer, postgresServer, systemPostgres, until } from '../support/postgres-servers.ts'

const isThere = systemPostgres() !== undefined
if (!isThere && process.env['SERVICE_TEST_POSTGRES'] === 'required') throw new Error('postgresql is not installed')

/** A base backup takes its time on a busy machine. */
const slowMs = 120_000

describe.skipIf(!isThere)('a primary and its standby', { timeout: slowMs }, () => {
  let folder: string
  let first: PostgresServer
  let second: PostgresServer
  let address: DatabaseAddress
  let db: Database

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'service-failover-'))
    await chmod(folder, 0o711)
    first = await postgresServer(folder, 'first')
    second = await postgresServer(folder, 'second')
    await first.create()
    await first.start()
    await first.query('create role service_system; create role service_tenant; create table written (what text)')
    await first.query('grant all on written to service_system')
    await second.copy(first)
    await second.start()
    // The standby stands first: a list has no order.
    address = addressOf(`postgres://service@${second.name},${first.name}/postgres`, 'read-write')
    db = openDatabase(address)
  }, slowMs)

  afterEach(async () => {
    await db.close()
    await first.kill()
    await second.kill()
    await rm(folder, { recursive: true, force: true })
  }, slowMs)

  const write = (what: string) => db.system`insert into written (what) values (${what})`
  const roleOf = ({ name }: PostgresServer) => address.servers?.states.find((state) => state.name === name)?.role

  test('is written to where it takes writes, and the others are known by name, role and lag', async () => {
    await write('one')
    expect(address.servers?.chosen).toBe(first.name)
    await expect
      .poll(() => address.servers?.look(), { timeout: slowMs })
      .toEqual([
        { name: second.name, role: 'standby', timeline: null, lagBytes: 0 },
        { name: first.name, role: 'primary', timeline: 1, lagBytes: null },
      ])
  })

  test('after a promotion everything goes to the new primary, though the old one only stands still', async () => {
    const heard: string[] = []
    const listener = await listen(address, {
      name: 'test',
      channel: 'word',
      clock: systemClock,
      onNotice: (payload) => heard.push(payload),
      onLost: () => heard.push('lost'),
      onListening: (isAgain) => heard.push(isAgain ? 'again' : 'listening'),
    })
    await until(async () => (await second.query('select from written')).length === 0, 'the standby does not follow')
    await write('before')
    await until(async () => (await second.query('select from written')).length === 1, 'the standby does not follow')
    first.signal('SIGSTOP')
    const hanging = write('for nobody').then(
      () => 'written',
      (error: unknown) => error,
    )
    await second.promote()
    await expect.poll(() => write('after').then(() => address.servers?.chosen), { timeout: 20_000 }).toBe(second.name)
    expect(await hanging).toBeInstanceOf(DatabaseDown)
    await expect.poll(() => heard, { timeout: 20_000 }).toEqual(['listening', 'lost', 'again'])
    await db.system`select pg_notify('word', 'from the new one')`
    await expect.poll(() => heard.at(-1)).toBe('from the new one')
    await listener.close()
  })

  test('an old primary that comes back and takes writes is refused', async () => {
    await write('before')
    await first.kill()
    await second.promote()
    await expect.poll(() => write('after').then(() => address.servers?.chosen), { timeout: 20_000 }).toBe(second.name)
    await first.start()
    await first.query("insert into written values ('split')")
    await expect.poll(() => roleOf(first), { timeout: 20_000 }).toBe('refused')
    await second.kill()
    await expect.poll(() => db.isUp(), { timeout: 20_000 }).toBe(false)
    await expect(write('to the old one')).rejects.toBeInstanceOf(DatabaseDown)
    expect(await first.query('select what from written')).not.toContainEqual({ what: 'to the old one' })
  })

  test('a server that refuses writes counts as down, and its refusal as an outage', async () => {
    await write('before')
    const direct = openDatabase({ url: `postgres://service@${first.name}/postgres` })
    await first.query('alter system set default_transaction_read_only = on')
    await first.query('select pg_reload_conf()')
    await expect.poll(() => direct.isUp(), { timeout: 20_000 }).toBe(false)
    await expect(direct.system`insert into written values ('no')`).rejects.toBeInstanceOf(DatabaseDown)
    await expect.poll(() => roleOf(first), { timeout: 20_000 }).toBe('read-only')
    await direct.close()
    await expect.poll(() => db.isUp(), { timeout: 20_000 }).toBe(false)
  })
})
