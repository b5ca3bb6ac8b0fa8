import { afterAll, beforeAll, expect, test } from 'vitest'
import { containerSandbox } from '../../../runtime/process/container.ts'
import type { ProcessSandbox } from '../../../runtime/process/sandbox.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { type Engine, standInEngine } from './support/engine.ts'
import { runIn } from './support/run.ts'
import { processesWith } from './support/traces.ts'

let engine: Engine
let sandbox: ProcessSandbox

function open(image = 'example.com/python:3'): ProcessSandbox {
  return containerSandbox({ engine: engine.program, image, path: engine.path, clock: systemClock })
}

const shell = { file: 'sh' }

beforeAll(async () => {
  engine = await standInEngine()
  sandbox = open()
})

afterAll(() => engine.remove())

const optionsOf = (call: readonly string[]) => call.slice(0, call.indexOf('example.com/python:3'))

test('the code goes in by stdin and never by an argument, followed by the program’s own stdin', async () => {
  const code = 'import sys\nprint("é", sys.stdin.read())'
  const result = await runIn(sandbox, code, { file: 'python3', stdin: 'given' })
  expect(result).toMatchObject({ end: 'exited', exitCode: 0, stdout: { text: 'é given\n' } })
  expect(JSON.stringify(engine.calls())).not.toMatch(/import sys|given/)
})

test('the container has no network, no privileges, bounds, and nothing writable but a bounded /tmp', async () => {
  await runIn(sandbox, 'true', shell)
  const options = optionsOf(engine.calls().findLast(([verb]) => verb === 'run') ?? []).join(' ')
  for (const expected of [
    ...['--rm -i', '--network none', '--read-only', '--user 65534:65534', '--cap-drop ALL', '--pull never'],
    ...[
      '--security-opt no-new-privileges',
      '--memory 536870912 --memory-swap 536870912',
      '--cpus 1',
      '--pids-limit 32',
    ],
    ...['--log-driver none', '--tmpfs /tmp:rw,nosuid,nodev,noexec,mode=1777,size=67108864', '--entrypoint sh'],
  ]) {
    expect(options).toContain(expected)
  }
  expect(options).not.toMatch(/--privileged|--volume|-v |--mount|--device|--pid /)
})

test('addresses of proxies, which may contain passwords, are blank in the container', async () => {
  await runIn(sandbox, 'true', shell)
  const options = optionsOf(engine.calls().findLast(([verb]) => verb === 'run') ?? [])
  const variables = options.filter((_, at) => options[at - 1] === '--env')
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    expect(variables).toContain(`${name}=`)
    expect(variables).toContain(`${name.toLowerCase()}=`)
  }
})

test('each container has its own name, by which it is removed at the end', async () => {
  const before = engine.calls().length
  await runIn(sandbox, 'true', shell)
  await runIn(sandbox, 'true', shell)
  const calls = engine.calls().slice(before)
  const names = calls.filter(([verb]) => verb === 'run').map((call) => call[call.indexOf('--name') + 1])
  expect(new Set(names).size).toBe(2)
  expect(calls.filter(([verb]) => verb === 'rm').map((call) => call.at(-1))).toEqual(names)
})

test('a container that runs too long is killed by its name, and the run ends with it', async () => {
  const seconds = `63.${process.pid}`
  const result = await runIn(sandbox, `echo begun; sleep ${seconds}`, { ...shell, timeoutMs: 1_000 })
  expect(result).toMatchObject({ end: 'timed_out', stdout: { text: 'begun\n' } })
  expect(engine.calls().some(([verb]) => verb === 'kill')).toBe(true)
  expect(processesWith(`sleep ${seconds}`)).toEqual([])
})

test('cancelling the turn kills the container, even while it is being created', async () => {
  const seconds = `64.${process.pid}`
  const abort = new AbortController()
  const result = runIn(sandbox, `sleep ${seconds}`, { ...shell, signal: abort.signal, timeoutMs: 20_000 })
  setImmediate(() => abort.abort(new Error('cancelled')))
  await expect(result).rejects.toThrow('cancelled')
  expect(processesWith(`sleep ${seconds}`)).toEqual([])
})

test('of endless output the beginning is kept, and the container is killed', async () => {
  const { end, stdout } = await runIn(sandbox, 'yes', { ...shell, timeoutMs: 10_000 })
  expect([end, stdout.text.length]).toEqual(['output_limit', 65_536])
})

test('a failure of the image or engine is not reported as the code’s', async () => {
  await expect(runIn(open('example.com/broken'), 'true', shell)).rejects.toMatchObject({
    code: 'sandbox_failed',
    message: expect.stringContaining('not the code'),
  })
  await expect(runIn(sandbox, 'puts 1', { file: 'no-such-ruby' })).rejects.toThrow(/image has no no-such-ruby/)
})
