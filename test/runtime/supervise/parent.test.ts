import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import { endSpawned, isAlive, type Spawned, spawnNode } from '../../support/spawned.ts'

const parentFile = fileURLToPath(new URL('./processes/parent.ts', import.meta.url))

async function supervised(environment: Record<string, string> = {}, isForked = false) {
  const ports = [await freePort(), await freePort()]
  const parent = spawnNode(parentFile, [], { isForked, environment: { PORTS: ports.join(','), ...environment } })
  const pids: number[] = []
  const ask = async (path = '/', of = 1): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${ports[of - 1]}${path}`, { headers: { connection: 'close' } })
    const pid = Number(await response.text())
    if (!pids.includes(pid)) pids.push(pid)
    return pid
  }
  return { parent, ask, pids, answers: () => ask().catch(() => undefined) }
}

/** The gateway dies with its parent, but a test that fails must not leave one behind. */
const gateways: number[] = []
afterEach(async () => {
  await endSpawned()
  for (const pid of gateways.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
})

async function readyGateway(environment: Record<string, string> = {}) {
  const { parent, ask, answers } = await supervised(environment)
  await parent.said('serving')
  const pid = await ask()
  gateways.push(pid)
  return { parent, ask, answers, pid }
}

function restarts(parent: Spawned) {
  return parent.lines.filter((line) => line.msg === 'the gateway ended and will be started again')
}

describe('parent', () => {
  test.for(['/segv', '/abort', '/exit'])('a gateway that ends by %s answers again at once', async (deed) => {
    const { parent, ask, answers, pid } = await readyGateway()
    const beganMs = performance.now()
    await ask(deed)
    await expect.poll(() => isAlive(pid), { interval: 10 }).toBe(false)
    await expect.poll(answers, { interval: 10 }).toBeGreaterThan(0)
    const tookMs = performance.now() - beganMs
    gateways.push(await ask())
    expect(await ask()).not.toBe(pid)
    expect(restarts(parent)).toMatchObject([{ delayMs: 100 }])
    // Seen on an idle machine: 0.3 s. A machine whose cores others use takes many times that.
    expect(tookMs).toBeLessThan(20_000)
  })

  test('a gateway whose main loop stands still is ended by its watchdog and comes back', async () => {
    const { parent, ask, answers, pid } = await readyGateway({ WATCHDOG_MS: '500' })
    await ask('/spin')
    await expect.poll(() => isAlive(pid), { interval: 10 }).toBe(false)
    await expect.poll(answers, { interval: 10 }).toBeGreaterThan(0)
    gateways.push(await ask())
    expect(restarts(parent)).toMatchObject([{ signal: 'SIGKILL' }])
    // Soon after its start it has six times as long.
    expect(parent.lines.map((line) => line.msg)).toContainEqual(
      expect.stringMatching(/^the main loop did not run for (500|3000) ms: the process is killed$/),
    )
  })

  test('a gateway that keeps crashing is started after ever longer delays', async () => {
    const { parent } = await supervised({ BEHAVIOUR: 'crash when ready' })
    await expect.poll(() => restarts(parent).length).toBeGreaterThanOrEqual(3)
    const delays = restarts(parent).map((line) => line['delayMs'])
    expect(delays.slice(0, 3)).toEqual([100, 200, 400])
  })

  test('a gateway that was ready for a while is started again without a delay, however often it ends', async () => {
    const { parent, ask, answers } = await readyGateway({ STEADY_MS: '0' })
    for (let ended = 1; ended <= 4; ended++) {
      await ask('/abort')
      await expect.poll(() => restarts(parent).length).toBe(ended)
      await expect.poll(answers, { interval: 10 }).toBeGreaterThan(0)
      gateways.push(await ask())
    }
    expect(restarts(parent).map((line) => line['delayMs'])).toEqual([0, 0, 0, 0])
  })

  test('a gateway that crashes before it is ready waits ever longer, whatever came before', async () => {
    const { parent, ask } = await readyGateway({ BEHAVIOUR: 'no second start', STEADY_MS: '0' })
    await ask('/abort')
    await expect.poll(() => restarts(parent).length).toBeGreaterThanOrEqual(4)
    const delays = restarts(parent).map((line) => line['delayMs'])
    expect(delays.slice(0, 4)).toEqual([0, 100, 200, 400])
  })

  test('a gateway that takes the place of another is told so', async () => {
    const { parent } = await supervised({ BEHAVIOUR: 'crash when ready' })
    await expect.poll(() => restarts(parent).length).toBeGreaterThanOrEqual(2)
    const starts = parent.lines.filter((line) => line.msg === 'serving')
    expect(starts.slice(0, 2)).toMatchObject([{ isRestart: false }, { isRestart: true }])
  })

  test('SIGTERM drains the gateway and ends the parent with its exit code', async () => {
    const { parent, pid } = await readyGateway()
    parent.child.kill('SIGTERM')
    expect(await parent.end).toBe(0)
    expect(isAlive(pid)).toBe(false)
    expect(parent.lines.map((line) => line.msg)).toContain('drained')
    expect(restarts(parent)).toEqual([])
  })

  test('a signal that reaches parent and gateway at once, as Ctrl-C does, is one wish', async () => {
    const { parent, ask, pid } = await readyGateway({ BEHAVIOUR: 'patient drain' })
    process.kill(pid, 'SIGINT')
    await parent.said('stopping')
    parent.child.kill('SIGINT')
    for (let count = 0; count < 10; count++) await ask()
    await ask('/finish')
    expect(await parent.end).toBe(0)
    expect(parent.lines.map((line) => line.msg)).toContain('drained')
  })

  test('a wrong configuration is not tried again and ends with 78', async () => {
    const { parent } = await supervised({ BEHAVIOUR: 'misconfigured' })
    expect(await parent.end).toBe(78)
    expect(restarts(parent)).toEqual([])
  })

  test('a first start that fails is not tried again: whoever started it hears it at once', async () => {
    const { parent } = await supervised({ BEHAVIOUR: 'no start' })
    expect(await parent.end).toBe(1)
    expect(restarts(parent)).toEqual([])
  })

  test('a signal while the gateway waits for its restart ends the parent', async () => {
    const { parent } = await supervised({ BEHAVIOUR: 'crash when ready' })
    await expect.poll(() => restarts(parent).length).toBeGreaterThanOrEqual(3)
    parent.child.kill('SIGTERM')
    expect(await parent.end).toBeTypeOf('number')
  })

  test('when the parent is killed the gateway drains and ends', async () => {
    const { parent, pid } = await readyGateway()
    parent.child.kill('SIGKILL')
    await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false)
    await parent.end
    expect(parent.lines.map((line) => line.msg)).toContain('drained')
  })

  test('when whoever started the parent over a channel is gone, both end', async () => {
    const { parent } = await supervised({}, true)
    await parent.said('serving')
    parent.child.disconnect()
    expect(await parent.end).toBe(0)
    await parent.said('drained')
  })

  test.runIf(process.platform === 'linux')('the parent has no native addon in its memory', async () => {
    const { parent } = await readyGateway()
    const maps = await readFile(`/proc/${parent.pid}/maps`, 'utf8')
    expect(maps).toContain('/node')
    expect(maps).not.toMatch(/\.node$/m)
  })
})

describe('parent of several gateways', () => {
  const places = ({ lines }: Spawned) => lines.filter((line) => line.msg === 'serving').map((line) => line['place'])

  async function two(environment: Record<string, string> = {}) {
    const { parent, ask } = await supervised({ PROCESSES: '2', STEADY_MS: '0', ...environment })
    const second = () => ask('/', 2).catch(() => undefined)
    await expect.poll(second, { interval: 10 }).toBeGreaterThan(0)
    const pids = [await ask('/', 1), await ask('/', 2)]
    gateways.push(...pids)
    return { parent, ask, second, pids }
  }

  test('the first is ready before the second starts, and SIGTERM drains both', async () => {
    const { parent, pids } = await two()
    expect(places(parent)).toEqual([
      { number: 1, of: 2, isFirst: true },
      { number: 2, of: 2, isFirst: false },
    ])
    parent.child.kill('SIGTERM')
    expect(await parent.end).toBe(0)
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(parent.lines.filter((line) => line.msg === 'drained')).toHaveLength(2)
  })

  test('one that crashes is started again, and the other goes on', async () => {
    const { parent, ask, second, pids } = await two()
    await ask('/segv', 2)
    await expect.poll(() => restarts(parent)).toMatchObject([{ process: 2, delayMs: 0 }])
    await expect.poll(second, { interval: 10 }).toBeGreaterThan(0)
    gateways.push(await ask('/', 2))
    expect(await ask('/', 1)).toBe(pids[0])
    expect(places(parent).at(-1)).toEqual({ number: 2, of: 2, isFirst: false })
  })

  test('what ends one for good ends all, with its exit code', async () => {
    const { parent } = await supervised({ PROCESSES: '2', BEHAVIOUR: 'second misconfigured' })
    expect(await parent.end).toBe(78)
    expect(parent.lines.map((line) => line.msg)).toContain('drained')
    expect(restarts(parent)).toEqual([])
  })

  test('where the first fails to start, the second is never tried', async () => {
    const { parent } = await supervised({ PROCESSES: '2', BEHAVIOUR: 'no start' })
    expect(await parent.end).toBe(1)
    expect(parent.lines.filter((line) => line['level'] === 'fatal')).toHaveLength(1)
  })
})
