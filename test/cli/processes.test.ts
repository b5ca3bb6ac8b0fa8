/** SERVICE_GATEWAY_PROCESSES: one command, several processes, one service. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
import { operator } from './support/command.ts'

async function startTwo(more: Record<string, string> = {}) {
  const ui = `127.0.0.1:${await freePort()}`
  const service = await operator(
    { SERVICE_GATEWAY_PROCESSES: '2', SERVICE_WEBUI_ADDR: ui, ...more },
    { isSupervised: true },
  )
  const parent = await service.start()
  /** When the process that answers was started, of as many new connections. */
  const answers = async (connections: number): Promise<string[]> => {
    const started = await Promise.allSettled(
      Array.from({ length: connections }, async () => {
        const response = await fetch(`${service.url}/metrics`, { headers: { connection: 'close' } })
        return /^process_start_time_seconds \S+/m.exec(await response.text())?.[0] ?? 'none'
      }),
    )
    return started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }
  const known = async () => new Set(await answers(32)).size
  await expect.poll(known, { interval: 50 }).toBe(2)
  return { ...service, ui, parent, answers }
}

async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = children.trim().split(' ').map(Number)
  const lines = await Promise.all(pids.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8')))
  return pids.filter((_, index) => lines[index]?.includes('process='))
}

describe.runIf(process.platform === 'linux')('several processes', () => {
  test('share the port about evenly; one that is killed is replaced, and the other answers meanwhile', async () => {
    const { parent, answers, ui, chat, stop } = await startTwo()
    const counts = new Map<string, number>()
    for (const each of await answers(64)) counts.set(each, (counts.get(each) ?? 0) + 1)
    // Of 64 that fall by chance on two, fewer than 12 to one are one in 10 million.
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(12)
    expect((await fetch(`http://${ui}/`)).status).toBe(200)
    expect((await chat()).status).not.toBe(401)

    const [killed = 0, ...others] = await childrenOf(parent.pid)
    expect(others).toHaveLength(1)
    process.kill(killed, 'SIGKILL')
    const meanwhile = await answers(32)
    expect(meanwhile.length).toBeGreaterThan(0)
    const replaced = async () => (await answers(32)).filter((each) => !counts.has(each)).length
    await expect.poll(replaced, { interval: 50 }).toBeGreaterThan(0)
    expect(await childrenOf(parent.pid)).toEqual(expect.arrayContaining(others))
    await stop()
  })

  test('share the built-in database, which their parent runs and stops', async () => {
    const { parent, service, stop, dataDir } = await startTwo({ SERVICE_DATABASE_URL: '' })
    expect((await service('settings', 'list')).code).toBe(0)
    const codes = parent.lines.filter((line) => JSON.stringify(line).includes('The setup code'))
    expect(codes).toHaveLength(1)
    await stop()
    await expect(readFile(`${dataDir}/postgres/cluster/postmaster.pid`)).rejects.toThrow('ENOENT')
  })
})

test('a port that another holds ends all, with one line that names the setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const environment = { SERVICE_GATEWAY_PROCESSES: '2', SERVICE_GATEWAY_ADDR: address, SERVICE_WEBUI_ENABLED: 'false' }
  const started = (await operator(environment, { isSupervised: true })).begin()
  expect(await started.end).toBe(1)
  const problems = started.lines.filter((line) => line['level'] === 'fatal')
  expect(problems).toMatchObject([{ setting: 'SERVICE_GATEWAY_ADDR', reason: expect.stringContaining(address) }])
})

test('a port of the system choice is refused: it would be another one in each process', async () => {
  const environment = {
    SERVICE_GATEWAY_PROCESSES: '2',
    SERVICE_GATEWAY_ADDR: '127.0.0.1:0',
    SERVICE_WEBUI_ENABLED: 'false',
  }
  const started = (await operator(environment, { isSupervised: true })).begin()
  expect(await started.end).toBe(1)
  expect(started.lines).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('port 0') }))
})

test('a number that cannot be ends the start with one line; several have no place without their parent', async () => {
  const many = (await operator({ SERVICE_GATEWAY_PROCESSES: 'many' }, { isSupervised: true })).begin()
  expect(await many.end).toBe(78)
  const problems = many.lines.filter((line) => line['level'] === 'fatal')
  expect(problems).toMatchObject([{ setting: 'SERVICE_GATEWAY_PROCESSES', reason: expect.stringContaining('or auto') }])
  const alone = (await operator({ SERVICE_GATEWAY_PROCESSES: '2' })).begin()
  expect(await alone.end).toBe(78)
  expect(JSON.stringify(alone.lines)).toContain('--no-supervise')
})
