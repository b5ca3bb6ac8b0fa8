import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { endSpawned, type Spawned, type SpawnOptions, spawnNode } from '../../support/spawned.ts'

const standIn = fileURLToPath(new URL('./processes/stand-in.ts', import.meta.url))

async function serving(environment: Record<string, string> = {}, options: SpawnOptions = {}) {
  const gateway = spawnNode(standIn, [], { environment, ...options })
  const { port } = await gateway.said('serving')
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  return { gateway, ask }
}

const linesWith = (gateway: Spawned, text: string) => gateway.lines.filter((line) => line.msg?.includes(text)).length

afterEach(endSpawned)

describe('gateway process', () => {
  test('without a parent it serves, drains on SIGTERM and ends with 0', async () => {
    const { gateway, ask } = await serving()
    expect(await ask('/')).toBe(String(gateway.pid))
    gateway.child.kill('SIGTERM')
    expect(await gateway.end).toBe(0)
    expect(linesWith(gateway, 'drained')).toBe(1)
  })

  test('at a second signal it ends without the rest of the drain', async () => {
    const { gateway } = await serving({ BEHAVIOUR: 'endless drain' })
    const insisting = setInterval(() => gateway.child.kill('SIGTERM'), 100)
    const end = await gateway.end
    clearInterval(insisting)
    expect(end).toBe(143)
    expect(linesWith(gateway, 'a second signal to stop')).toBe(1)
  })

  test('a drain that does not end is given up at its limit', async () => {
    const { gateway } = await serving({ BEHAVIOUR: 'endless drain', STOP_MS: '300' })
    gateway.child.kill('SIGTERM')
    expect(await gateway.end).toBe(1)
    expect(linesWith(gateway, 'the drain did not end in time')).toBe(1)
  })

  test('a signal during the start aborts the start, and the exit code is 0', async () => {
    const gateway = spawnNode(standIn, [], { environment: { BEHAVIOUR: 'slow start' } })
    await gateway.said('starting slowly')
    gateway.child.kill('SIGTERM')
    expect(await gateway.end).toBe(0)
  })

  test('uncaught exceptions and unhandled rejections are logged as defects and survived', async () => {
    const { gateway, ask } = await serving()
    for (let count = 0; count < 5; count++) await ask('/throw')
    for (let count = 0; count < 7; count++) await ask('/reject')
    await expect.poll(() => linesWith(gateway, 'defect')).toBe(12)
    expect(await ask('/')).toBe(String(gateway.pid))
    expect(gateway.lines.find((line) => line.msg?.startsWith('defect'))?.['err']).toMatchObject({
      message: 'nobody catches me',
      stack: expect.stringContaining('stand-in'),
    })
  })

  test('at the sixth uncaught exception within a minute it drains and ends to be started again', async () => {
    const { gateway, ask } = await serving()
    for (let count = 0; count < 6; count++) await ask('/throw').catch(() => {})
    expect(await gateway.end).toBe(70)
    expect(linesWith(gateway, 'drained')).toBe(1)
  })

  test('its parent hears when it is ready and gets its figures', async () => {
    const gateway = spawnNode(standIn, [], { isForked: true })
    const [first] = await once(gateway.child, 'message')
    expect(first).toEqual({ type: 'ready' })
    gateway.child.send({ type: 'stats' })
    const [figures] = await once(gateway.child, 'message')
    expect(figures).toEqual({ type: 'stats', figure: 42 })
  })

  test('lines written just before the end are not lost', async () => {
    const { gateway, ask } = await serving()
    for (let count = 0; count < 50; count++) await ask('/reject')
    gateway.child.kill('SIGTERM')
    await gateway.end
    expect(gateway.lines.at(-1)?.msg).toBe('stopped')
  })
})

describe('watchdog', () => {
  test('it ends a process alone, too, whose main loop stands still', async () => {
    const { gateway, ask } = await serving({ WATCHDOG_MS: '300' })
    await ask('/spin')
    expect(await gateway.end).toBe('SIGKILL')
    expect(linesWith(gateway, 'the main loop did not run')).toBe(1)
  })

  test('a pause shorter than its limit is none of its business', async () => {
    const { gateway, ask } = await serving({ WATCHDOG_MS: '8000' })
    await ask('/pause')
    expect(await ask('/')).toBe(String(gateway.pid))
  })

  test('it leaves a debugged process alone', async () => {
    const { gateway, ask } = await serving({ WATCHDOG_MS: '300' }, { nodeOptions: ['--inspect=127.0.0.1:0'] })
    await ask('/pause')
    expect(await ask('/')).toBe(String(gateway.pid))
  })

  test('a machine that slept is not taken for a main loop that hangs', async () => {
    const { gateway, ask } = await serving({ WATCHDOG_MS: '600' })
    gateway.child.kill('SIGSTOP')
    // Real time is the subject here: the process is to find that twice its limit has passed.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    gateway.child.kill('SIGCONT')
    expect(await ask('/')).toBe(String(gateway.pid))
    expect(await ask('/')).toBe(String(gateway.pid))
  })
})
