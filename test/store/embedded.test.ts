import { chmod, chown, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { type EmbeddedServer, startEmbedded } from '../../store/embedded/start.ts'
import { migrate } from '../../store/migrate.ts'
import { isAlive } from '../support/spawned.ts'

const log = pino({ level: 'silent' })
let folder: string
const started: EmbeddedServer[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-embedded-'))
  await chmod(folder, 0o711)
})
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir: folder, isDataDirExplicit: true, log })
  started.push(server)
  return server
}

async function withDatabase<Result>(
  server: EmbeddedServer,
  work: (db: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(server.address)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

const names = (server: EmbeddedServer) =>
  withDatabase(server, async (db) =>
    (await db.system<{ name: string }>`select name from workspaces where name <> 'default'`).map((row) => row.name),
  )

const add = (server: EmbeddedServer, name: string) =>
  withDatabase(server, (db) => db.system`insert into workspaces (id, name) values (gen_random_uuid(), ${name})`)

describe.runIf(process.platform === 'linux')('the built-in database', () => {
  test('keeps its data over a stop and a start, and does not run in between', async () => {
    const first = await start()
    await migrate(first.address, log)
    await add(first, 'kept')
    const { pid } = first
    await first.stop()
    expect(isAlive(pid)).toBe(false)
    expect(await findEmbedded({ dataDir: folder, isDataDirExplicit: true })).toBeNull()
    expect(await names(await start())).toEqual(['kept'])
  })

  test('runs only once on a folder', async () => {
    await start()
    await expect(start()).rejects.toMatchObject({ message: expect.stringContaining(folder) })
  })

  test('is restarted when it is killed, and no commit is lost', async () => {
    const server = await start()
    await migrate(server.address, log)
    await add(server, 'before the kill')
    const ended = new Promise<unknown>((resolve) => server.onExit(resolve))
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await ended
    await expect.poll(() => server.pid !== pid && isAlive(server.pid)).toBe(true)
    await expect.poll(() => names(server).catch(() => [])).toEqual(['before the kill'])
  })

  test('is reached only through a socket in its private folder, and with its password', async () => {
    const server = await start()
    const { host = '' } = server.address
    expect((await stat(host)).mode & 0o777).toBe(0o700)
    expect(await readFile(join(folder, 'postgres/cluster/postgresql.conf'), 'utf8')).toContain("listen_addresses = ''")
    const stranger = openDatabase({ ...server.address, password: 'guessed' })
    await expect(stranger.system`select 1`).rejects.toThrow(/password authentication failed/)
    await stranger.close()
  })

  test.runIf(process.getuid?.() === 0)('as root it lets only its user pass through the data folder', async () => {
    const dataDir = join(folder, 'data')
    const startBelow = () => startEmbedded({ dataDir, isDataDirExplicit: true, log })
    const mode = async () => {
      const { mode, uid, gid } = await stat(dataDir)
      return { mode: mode & 0o777, uid, isOfGroup: gid === (await stat(join(dataDir, 'postgres'))).gid }
    }
    const own = { mode: 0o710, uid: 0, isOfGroup: true }
    await (await startBelow()).stop()
    expect(await mode()).toEqual(own)
    // As earlier versions made it.
    await chown(dataDir, 0, process.getgid?.() ?? 0)
    await chmod(dataDir, 0o711)
    await (await startBelow()).stop()
    expect(await mode()).toEqual(own)
    // As an operator has made it.
    await chmod(dataDir, 0o755)
    await (await startBelow()).stop()
    expect(await mode()).toEqual({ ...own, mode: 0o755 })
  })

  test.runIf(process.getuid?.() === 0)(
    'as root it says which folder its user cannot enter, and what to do',
    async () => {
      await chmod(folder, 0o700)
      await expect(start()).rejects.toThrow(/cannot enter .*chmod o\+x/)
      await chmod(folder, 0o711)
    },
  )
})
