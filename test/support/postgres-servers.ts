/** PostgreSQL servers of the system's packages, which know how to be copied: the ones that npm brings have no pg_basebackup. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { appendFile, chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../bench/process/free-port.ts'
import { type ServerUser, serverUser } from '../../store/embedded/server-user.ts'
import { openPool } from '../../store/postgres/pool.ts'

const versionsFolder = '/usr/lib/postgresql'

/** Where the programs of the newest version are; undefined: none has all. */
export function systemPostgres(): string | undefined {
  if (!existsSync(versionsFolder)) return undefined
  return readdirSync(versionsFolder)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(versionsFolder, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_basebackup')) && existsSync(join(bin, 'postgres')))
}

const login = 'service'
const readyMsMax = 30_000

export interface PostgresServer {
  readonly port: number
  readonly name: string
  /** Creates a cluster of its own. */
  create(): Promise<void>
  /** Becomes a standby that follows `primary`, of a fresh copy. */
  copy(primary: PostgresServer): Promise<void>
  start(): Promise<void>
  /** Resolves when it takes writes. */
  promote(): Promise<void>
  /** To it and all of its processes. */
  signal(name: NodeJS.Signals): void
  /** kill -9. */
  kill(): Promise<void>
  /** A fast shutdown. */
  stop(): Promise<void>
  query<Row extends object>(text: string): Promise<Row[]>
}

export async function postgresServer(folder: string, name: string): Promise<PostgresServer> {
  const bin = systemPostgres() ?? ''
  const data = join(folder, name)
  const user: ServerUser | null = await serverUser(folder)
  const port = await freePort()
  let child: ChildProcess | undefined
  const as = { cwd: '/', env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' }, ...(user && { uid: user.uid, gid: user.gid }) }
  const run = (program: string, args: string[]) => promisify(execFile)(join(bin, program), args, as)

  async function emptyFolder(): Promise<void> {
    await rm(data, { recursive: true, force: true })
    await mkdir(data, { mode: 0o700 })
    if (user) await chown(data, user.uid, user.gid)
  }

  async function query<Row extends object>(text: string): Promise<Row[]> {
    const url = `postgres://${login}@127.0.0.1:${port}/postgres`
    const driver = openPool({ url }, { name: 'tests', connectionsMax: 1, statementMs: 5_000 })
    try {
      return await driver.unsafe<Row[]>(text)
    } finally {
      await driver.end({ timeout: 1 })
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    child.kill('SIGCONT')
    await ended
  }

  return {
    port,
    name: `127.0.0.1:${port}`,
    async create() {
      await emptyFolder()
      await run('initdb', ['-D', data, '-U', login, '--auth=trust', '--encoding=UTF8', '--no-locale'])
      const lines = ['max_connections = 200', 'max_wal_senders = 10', 'hot_standby = on', 'wal_keep_size = 256MB']
      // As docs/failover.md has it: a standby that has just lost its primary may look only then whether it is to be promoted.
      lines.push('wal_retrieve_retry_interval = 250ms')
      await appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
    },
    async copy(primary) {
      await emptyFolder()
      const source = `host=127.0.0.1 port=${primary.port} user=${login} application_name=${name}`
      await run('pg_basebackup', ['-D', data, '-d', source, '-R', '-X', 'stream', '-c', 'fast'])
    },
    async start() {
      const options = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '' }
      const settings = Object.entries(options).flatMap(([key, value]) => ['-c', `${key}=${value}`])
      await until(async () => {
        // Processes of one that was killed may hold its memory for a moment.
        if (!child || child.exitCode !== null || child.signalCode !== null) {
          child = spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...as, stdio: 'ignore' })
        }
        return (await query('select 1')).length === 1
      }, `${name} does not start`)
    },
    async promote() {
      await run('pg_ctl', ['promote', '-D', data, '-w', '-t', '20'])
    },
    signal(signal) {
      const pid = child?.pid ?? 0
      const ofServer = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
      // The parent first: it must not look after its children meanwhile.
      for (const each of [pid, ...ofServer.map(Number)]) process.kill(each, signal)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    query,
  }
}

/** What is committed from now on is on the standby too. */
export async function replicateSynchronously(primary: PostgresServer): Promise<void> {
  await primary.query("alter system set synchronous_standby_names = '*'")
  await primary.query('select pg_reload_conf()')
  const rows = () => primary.query<{ sync_state: string }>('select sync_state from pg_stat_replication')
  await until(async () => (await rows()).some((row) => row.sync_state === 'sync'), 'no standby follows')
}

export async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  const giveUpAt = performance.now() + readyMsMax
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > giveUpAt) throw new Error(otherwise)
    await wait(50)
  }
}
