import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bubblewrapSandbox, probeBubblewrap } from '../../../runtime/process/bubblewrap.ts'
import { findOnPath } from '../../../runtime/process/find-program.ts'
import type { ProcessSandbox } from '../../../runtime/process/sandbox.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import * as abuse from './support/abuse.ts'
import { runIn } from './support/run.ts'
import { processesWith } from './support/traces.ts'

const bwrap = findOnPath('bwrap', process.env['PATH'] ?? '') ?? ''
const title = bwrap === '' ? 'bubblewrap: SKIPPED, bwrap is not installed here' : 'bubblewrap'

describe.skipIf(bwrap === '')(title, () => {
  let sandbox: ProcessSandbox

  beforeAll(async () => {
    const probed = await probeBubblewrap(bwrap, systemClock, new AbortController().signal)
    if (probed === undefined) throw new Error('bwrap is here, but nothing runs in it: user namespaces are needed')
    sandbox = bubblewrapSandbox({ ...probed, bwrap, clock: systemClock })
  })

  afterEach(() => {
    expect(processesWith('/run/program')).toEqual([])
  })

  test('a program runs, reads its stdin, and its output and exit code are returned', async () => {
    const code = 'import sys; print(sys.stdin.read().upper()); print("no", file=sys.stderr); sys.exit(3)'
    expect(await runIn(sandbox, code, { stdin: 'text' })).toMatchObject({
      ...{ end: 'exited', exitCode: 3, signal: null },
      ...{ stdout: { text: 'TEXT\n', droppedBytes: 0 }, stderr: { text: 'no\n' } },
    })
  })

  test('it is nobody, without privileges, and the first process of its namespace', async () => {
    const { stdout } = await runIn(sandbox, 'cat /proc/self/status; ls /proc | grep -c "^[0-9]"', { language: 'sh' })
    expect(stdout.text).toMatch(/Uid:\s+65534\s+65534\s+65534\s+65534/)
    expect(stdout.text).toMatch(/CapEff:\s+0+\n/)
    expect(stdout.text).toMatch(/NoNewPrivs:\s+1/)
    expect(Number(stdout.text.trim().split('\n').at(-1))).toBeLessThan(8)
  })

  test('a fork bomb is stopped at the process limit and ended at the time limit', async () => {
    expect(await runIn(sandbox, abuse.forkBomb, { timeoutMs: 700 })).toMatchObject({ end: 'timed_out' })
  })

  test('a process cannot allocate memory without limit', async () => {
    const { end, stderr } = await runIn(sandbox, abuse.memory)
    // Whichever sees it first: the kernel at the bound of one process, or the look at all of them.
    expect(end === 'memory_limit' || stderr.text.includes('MemoryError')).toBe(true)
  })

  test('processes that together take too much memory are ended', async () => {
    expect(await runIn(sandbox, abuse.memoryOfMany)).toMatchObject({ end: 'memory_limit' })
  })

  test('of endless output the beginning is kept and the rest counted, and the process is ended', async () => {
    const { end, stdout } = await runIn(sandbox, abuse.endlessOutput)
    expect(end).toBe('output_limit')
    expect(stdout.text.length).toBe(65_536)
    expect(stdout.droppedBytes).toBeGreaterThan(60_000_000)
  })

  test('an endless loop is ended at the time limit', async () => {
    expect(await runIn(sandbox, abuse.endlessLoop, { timeoutMs: 300 })).toMatchObject({ end: 'timed_out' })
  })

  test('files of the host and the environment of other processes are not there', async () => {
    const data = await mkdtemp(join(tmpdir(), 'data-'))
    await writeFile(join(data, 'secret'), 'x', { mode: 0o644 })
    const { stdout } = await runIn(
      sandbox,
      abuse.reading([
        '/etc/shadow',
        '/etc/passwd',
        join(data, 'secret'),
        `/proc/${process.pid}/environ`,
        process.execPath,
      ]),
    )
    expect(stdout.text).not.toContain('READ')
    await rm(data, { recursive: true })
  })

  test('process 1 of its namespace does not show our environment', async () => {
    const { stdout } = await runIn(sandbox, 'cat /proc/1/environ; env', { language: 'sh' })
    expect(stdout.text).toContain('HOME=/tmp')
    expect(stdout.text).not.toMatch(/SERVICE_|VITEST|USER|npm_/)
  })

  test('a server on the loopback of the host is not reached', async () => {
    let connections = 0
    const server = createServer(() => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { stdout } = await runIn(sandbox, abuse.connecting((server.address() as AddressInfo).port))
    server.close()
    expect([stdout.text, connections]).toEqual(['refused\n', 0])
  })

  test('a process that left its session and erased its environment ends with the run', async () => {
    const seconds = `61.${process.pid}1`
    const { stdout } = await runIn(sandbox, abuse.leavingBehind(seconds))
    expect(stdout.text).toBe('left\n')
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })

  test('a link out of its /tmp leads to nothing', async () => {
    const { stdout } = await runIn(sandbox, abuse.linking(import.meta.dirname))
    expect(stdout.text).toBe('refused\n')
  })

  test('nothing is writable but /tmp and shared memory, and these are bounded', async () => {
    const places = ['/x', '/usr/x', '/etc/x', '/run/x', '/run/program', '/dev/x', '/bin/x', '/proc/sys/kernel/hostname']
    const { stdout } = await runIn(sandbox, abuse.writing(places))
    expect(stdout.text).not.toContain('WRITTEN')
    const filling = 'for i in 1 2 3 4 5 6 7 8; do head -c 15000000 /dev/zero > /tmp/$i || exit 9; done'
    expect(await runIn(sandbox, filling, { language: 'sh' })).toMatchObject({ exitCode: 9 })
  })

  test('it cannot make another user namespace', async () => {
    const { exitCode } = await runIn(sandbox, 'unshare -U true', { language: 'sh' })
    expect(exitCode).not.toBe(0)
  })

  test('a megabyte of unread stdin holds nothing up, and one that is read arrives complete', async () => {
    const stdin = 'é'.repeat(500_000)
    expect(await runIn(sandbox, 'print(1)', { stdin })).toMatchObject({ exitCode: 0, stdout: { text: '1\n' } })
    const counted = await runIn(sandbox, 'import sys; print(len(sys.stdin.buffer.read()))', { stdin })
    expect(counted.stdout.text).toBe('1000000\n')
  })

  test('cancelling the turn ends the run at once', async () => {
    const abort = new AbortController()
    const result = runIn(sandbox, 'print("x"); import time; time.sleep(30)', {
      signal: abort.signal,
      timeoutMs: 20_000,
    })
    setImmediate(() => abort.abort(new Error('cancelled')))
    await expect(result).rejects.toThrow('cancelled')
  })

  test('of a program ended by a signal the signal is reported', async () => {
    expect(await runIn(sandbox, 'kill -SEGV $$', { language: 'bash' })).toMatchObject({ end: 'exited', exitCode: 139 })
  })
})

test('a program that is not bubblewrap is recognised by running it', async () => {
  expect(await probeBubblewrap('/bin/true', systemClock, new AbortController().signal)).toBeUndefined()
})
