import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findInSystem } from '../../../runtime/process/find-program.ts'
import { killAllWithVariable } from '../../../runtime/process/leftovers.ts'
import { plainSandbox } from '../../../runtime/process/plain-child.ts'
import { processesOfUser } from '../../../runtime/process/proc.ts'
import { pickRunUser, unusedNumber } from '../../../runtime/process/run-user.ts'
import type { ProcessSandbox } from '../../../runtime/process/sandbox.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import * as abuse from './support/abuse.ts'
import { runIn } from './support/run.ts'
import { processesWith } from './support/traces.ts'

const isRoot = process.getuid?.() === 0
const hasPrlimit = findInSystem('prlimit') !== undefined

describe.skipIf(!hasPrlimit)(hasPrlimit ? 'plain child' : 'plain child: SKIPPED, prlimit is not here', () => {
  let folder: string
  let sandbox: ProcessSandbox

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'runs-'))
    await chmod(folder, 0o755)
    sandbox = plainSandbox({ clock: systemClock, folder })
  })

  afterEach(async () => {
    expect(processesWith(folder)).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })

  afterAll(() => rm(folder, { recursive: true }))

  test('a program runs, reads its stdin, and its output and exit code are returned', async () => {
    const code = 'import sys; print(sys.stdin.read().upper()); print("no", file=sys.stderr); sys.exit(3)'
    expect(await runIn(sandbox, code, { stdin: 'text' })).toMatchObject({
      ...{ end: 'exited', exitCode: 3, signal: null },
      ...{ stdout: { text: 'TEXT\n', droppedBytes: 0 }, stderr: { text: 'no\n' } },
    })
  })

  test.skipIf(!isRoot)('root is dropped to a user that nobody else is, in no group, without privileges', async () => {
    const { stdout } = await runIn(sandbox, 'cat /proc/self/status', { language: 'sh' })
    const user = Number(/Uid:\s+(\d+)/.exec(stdout.text)?.[1])
    expect(user).toBeGreaterThan(60_000)
    expect(processesOfUser(user)).toEqual([])
    expect(stdout.text).toMatch(/Groups:\s*\n/)
    expect(stdout.text).toMatch(/CapBnd:\s+0+\n/)
    expect(stdout.text).toMatch(/NoNewPrivs:\s+1/)
  })

  test('it does not see our environment', async () => {
    process.env['SERVICE_TEST_SECRET'] = 'hidden'
    const { stdout } = await runIn(sandbox, abuse.environment)
    delete process.env['SERVICE_TEST_SECRET']
    expect(stdout.text).toContain('HOME')
    expect(stdout.text).not.toMatch(/SERVICE_|VITEST|npm_|hidden/)
  })

  test('a fork bomb is stopped at the process limit, ended at the time limit, and leaves no process', async () => {
    expect(await runIn(sandbox, abuse.forkBomb, { timeoutMs: 700 })).toMatchObject({ end: 'timed_out' })
  })

  test('a process cannot allocate memory without limit', async () => {
    const { end, stderr } = await runIn(sandbox, abuse.memory)
    expect(end === 'memory_limit' || stderr.text.includes('MemoryError')).toBe(true)
  })

  test('processes that together take too much memory are ended', async () => {
    expect(await runIn(sandbox, abuse.memoryOfMany)).toMatchObject({ end: 'memory_limit' })
  })

  test('of endless output the beginning is kept and the rest counted, and the process is ended', async () => {
    const { end, stdout } = await runIn(sandbox, abuse.endlessOutput)
    expect([end, stdout.text.length]).toEqual(['output_limit', 65_536])
  })

  test('an endless loop is ended at the time limit', async () => {
    expect(await runIn(sandbox, abuse.endlessLoop, { timeoutMs: 300 })).toMatchObject({ end: 'timed_out' })
  })

  test.skipIf(!isRoot)('files of the service and environments of others are refused', async () => {
    const data = await mkdtemp(join(tmpdir(), 'data-'))
    await writeFile(join(data, 'secret'), 'x')
    const paths = ['/etc/shadow', join(data, 'secret'), '/proc/1/environ', `/proc/${process.pid}/environ`]
    const { stdout } = await runIn(sandbox, abuse.reading(paths))
    expect(stdout.text).not.toContain('READ')
    const written = await runIn(sandbox, abuse.writing([join(data, 'x'), '/etc/x', '/usr/x', '/x', '/root/x']))
    expect(written.stdout.text).not.toContain('WRITTEN')
    await rm(data, { recursive: true })
  })

  test.skipIf(!isRoot)('a process that left its session and erased its environment ends with the run', async () => {
    const seconds = `62.${process.pid}1`
    const { stdout } = await runIn(sandbox, abuse.leavingBehind(seconds))
    expect(stdout.text).toBe('left\n')
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })

  test('links, closed folders and very deep ones are removed with the folder, and targets of links stay', async () => {
    const target = await mkdtemp(join(tmpdir(), 'target-'))
    await writeFile(join(target, 'kept'), 'x')
    await runIn(sandbox, abuse.linking(target))
    expect(await runIn(sandbox, abuse.deepFolders)).toMatchObject({ end: 'exited', exitCode: 0 })
    expect(await readdir(target)).toEqual(['kept'])
    await rm(target, { recursive: true })
  })

  test('a file past the size limit is cut', async () => {
    const { exitCode, stdout } = await runIn(sandbox, 'head -c 50000000 /dev/zero > big; stat -c %s big; exit 4', {
      language: 'sh',
    })
    expect([exitCode, stdout.text]).toEqual([4, `${16 * 1_024 * 1_024}\n`])
  })

  test('a megabyte of unread stdin holds nothing up', async () => {
    const stdin = 'é'.repeat(500_000)
    expect(await runIn(sandbox, 'print(1)', { stdin })).toMatchObject({ exitCode: 0, stdout: { text: '1\n' } })
  })

  test('cancelling the turn ends the run at once', async () => {
    const abort = new AbortController()
    const result = runIn(sandbox, 'import time; time.sleep(30)', { signal: abort.signal, timeoutMs: 20_000 })
    setTimeout(() => abort.abort(new Error('cancelled')), 50)
    await expect(result).rejects.toThrow('cancelled')
  })
})

test.skipIf(process.platform !== 'linux')('what left its session is found by its variable and ended', async () => {
  const child = spawn('/bin/sh', ['-c', 'while :; do /bin/true; done'], {
    ...{ env: { SANDBOX_TEST: 'leftover' }, detached: true, stdio: 'ignore' },
  })
  const ended = once(child, 'exit')
  await once(child, 'spawn')
  await killAllWithVariable('SANDBOX_TEST', 'another', 5_000)
  expect(child.exitCode).toBeNull()
  await killAllWithVariable('SANDBOX_TEST', 'leftover', 5_000)
  expect(await ended).toEqual([null, 'SIGKILL'])
})

describe('the user number of a run', () => {
  test('is far above all used ones where all numbers are mapped', () => {
    expect(unusedNumber('0 0 4294967295')).toBeGreaterThanOrEqual(1_900_000_000)
  })

  test('is within the 65,536 of a container', () => {
    expect(unusedNumber('0 100000 65536')).toBeLessThan(65_536)
  })

  test('does not come again soon, where there are few: two runs that begin together never share one', () => {
    const numbers = Array.from({ length: 50 }, () => unusedNumber('0 100000 65536'))
    expect(new Set(numbers).size).toBe(50)
  })

  test('is refused where none is mapped: nothing runs as root instead', () => {
    expect(() => unusedNumber('0 1000 1')).toThrow(/nothing is run/)
  })

  test.skipIf(!isRoot)('is another for each run', () => {
    expect(pickRunUser(32).number).not.toBe(pickRunUser(32).number)
  })
})
