import { expect, test } from 'vitest'
import { encodedMessage, sealMessages } from '../../../gateway/bus/envelope.ts'
import { postgresWire } from '../../../gateway/bus/postgres.ts'
import { keepMailbox } from '../../../store/nodes/mailbox.ts'
import { asOwner, type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { type Carrier, conformance, nodes, testBusKey } from './support/conformance.ts'

let fresh: FreshDatabase

async function postgresCarrier(): Promise<Carrier> {
  fresh = await freshDatabase()
  const foreign = await freshDatabase()
  const name = fresh.address.database
  return {
    wire: (epoch, log) => postgresWire({ db: fresh.db, epoch, log }),
    foreignWire: (epoch, log) => postgresWire({ db: foreign.db, epoch, log }),
    async inject(epoch, bytes) {
      await fresh.db.system`insert into node_messages (receiver, frame) values (${epoch}, ${bytes})`
    },
    async breakDown() {
      await asOwner(`alter database ${name} allow_connections false`)
      await asOwner(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`)
    },
    repair: () => asOwner(`alter database ${name} allow_connections true`),
    async close() {
      await fresh.drop()
      await foreign.drop()
    },
  }
}

const all = nodes(postgresCarrier)
conformance('PostgreSQL', all)

async function messages(): Promise<number> {
  const [row] = await fresh.db.system<{ count: number }>`select count(*)::int as count from node_messages`
  return row?.count ?? -1
}

async function mailboxes(): Promise<number> {
  const [row] = await fresh.db.system<{ count: number }>`select count(*)::int as count from node_mailboxes`
  return row?.count ?? -1
}

test('a message whose notice was lost is found by the poll', async () => {
  const two = await all.open()
  const bodies: unknown[] = []
  two.bus.on('word', (body) => bodies.push(body))
  const head = { from: 900_000, to: two.epoch, number: 1, count: 1 }
  await all.carrier().inject(two.epoch, sealMessages(testBusKey, head, [encodedMessage('word', 'unannounced')]))
  await expect.poll(() => bodies).toEqual(['unannounced'])
})

test('a closed node leaves no mailbox, and what is sent to nobody is not stored', async () => {
  const one = await all.open()
  const two = await all.open()
  expect(await mailboxes()).toBe(2)
  await two.bus.close()
  expect(await mailboxes()).toBe(1)

  one.bus.send(two.epoch, 'word', 1)
  one.bus.send(987_654, 'word', 1)
  await expect.poll(() => one.bus.counts.sent).toBe(2)
  const stored = await fresh.db.system`
    select receiver from node_messages where receiver = any(${[two.epoch, 987_654]}::bigint[])`
  expect(stored).toEqual([])
})

test('a node that died is not written to after a while, and what it did not read is removed', async () => {
  const one = await all.open()
  await keepMailbox(fresh.db, 800_000)
  one.bus.broadcast('word', 1)
  await expect.poll(messages).toBe(1)

  await fresh.db.system`update node_mailboxes set read_at = now() - interval '16 s' where epoch = 800000`
  await fresh.db.system`update node_messages set sent_at = now() - interval '16 s'`
  one.bus.broadcast('word', 2)
  await expect.poll(() => one.bus.counts.sent).toBe(2)
  await expect.poll(messages).toBe(0)
  await fresh.db.system`update node_mailboxes set read_at = now() - interval '61 s' where epoch = 800000`
  await expect.poll(mailboxes).toBe(1)
})

test('after a crash of the server has emptied the mailboxes, messages flow again', async () => {
  const [one, two] = [await all.open(), await all.open()]
  const bodies: unknown[] = []
  two.bus.on('word', (body) => bodies.push(body))
  await fresh.db.system`delete from node_mailboxes`
  await expect
    .poll(() => {
      one.bus.send(two.epoch, 'word', 'after')
      return bodies.includes('after')
    })
    .toBe(true)
})
