import { beforeAll, describe, expect, test } from 'vitest'
import { bubblewrapSandbox, probeBubblewrap } from '../../../runtime/process/bubblewrap.ts'
import { callFilter } from '../../../runtime/process/call-filter.ts'
import { findOnPath } from '../../../runtime/process/find-program.ts'
import { callTables } from '../../../runtime/process/refused-calls.ts'
import type { ProcessSandbox } from '../../../runtime/process/sandbox.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import { calling, callingAs32Bit, verdictOf } from './support/calls.ts'
import { runIn } from './support/run.ts'

const allow = 0x7fff0000
const kill = 0x80000000
const error = (number: number) => 0x00050000 | number
const [notPermitted, noSuchCall, noSuchFamily] = [1, 38, 97]

describe.each(Object.entries(callTables))('the filter for %s', (name, table) => {
  const filter = callFilter(name) ?? Buffer.alloc(0)
  const { architecture } = table
  const verdict = (number: number, ...given: number[]) => verdictOf(filter, { architecture, number, given })

  test.each(Object.entries(table.refused))('refuses %s', (_, number) => {
    expect(verdict(number)).toBe(error(noSuchCall))
  })

  test('refuses newer calls, and those of x32', () => {
    expect([463, 1_000, 0x40000000, 0x40000065, 0xffffffff].map((number) => verdict(number))).toEqual(
      Array(5).fill(error(noSuchCall)),
    )
  })

  test.each([0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])(
    'refuses clone with the namespace of flag %i, and lets threads and forks be made',
    (flag) => {
      expect(verdict(table.clone, flag | 17)).toBe(error(notPermitted))
      expect(verdict(table.clone, 0x003d0f00)).toBe(allow)
      expect(verdict(table.clone, 0x01200011)).toBe(allow)
    },
  )

  test('refuses commands that insert input into a terminal, and allows others', () => {
    expect(verdict(table.ioctl, 0, 0x5412)).toBe(error(notPermitted))
    expect(verdict(table.ioctl, 0, 0x541c)).toBe(error(notPermitted))
    expect(verdict(table.ioctl, 0, 0x5413)).toBe(allow)
  })

  test('refuses sockets of all but four families', () => {
    const families = Array.from({ length: 50 }, (_, family) => family)
    const allowed = families.filter((family) => verdict(table.socket, family) === allow)
    expect(allowed).toEqual([1, 2, 10, 16])
    expect(verdict(table.socket, 40)).toBe(error(noSuchFamily))
  })

  test('allows every other call', () => {
    const listed = new Set([...Object.values(table.refused), table.socket])
    for (let number = 0; number <= 462; number++) if (!listed.has(number)) expect(verdict(number)).toBe(allow)
  })

  test('ends a program that calls with another architecture’s numbers', () => {
    expect(verdictOf(filter, { architecture: 0x40000003, number: 20 })).toBe(kill)
  })
})

test('there is none for an unknown architecture', () => {
  expect(callFilter('riscv64')).toBeUndefined()
})

const bwrap = findOnPath('bwrap', process.env['PATH'] ?? '') ?? ''
const table = callTables[process.arch]
const isHere = bwrap !== '' && table !== undefined
const title = isHere ? 'in the kernel' : 'in the kernel: SKIPPED, bwrap is not installed here'

describe.skipIf(!isHere)(title, () => {
  const options = { bwrap, canForbidNamespaces: false, clock: systemClock }
  const unfiltered = bubblewrapSandbox({ ...options, isFiltered: false })
  let filtered: ProcessSandbox

  beforeAll(async () => {
    const probed = await probeBubblewrap(bwrap, systemClock, new AbortController().signal)
    expect(probed?.isFiltered).toBe(true)
    filtered = bubblewrapSandbox({ ...options, isFiltered: true })
  })

  const answers = async (sandbox: ProcessSandbox, calls: Parameters<typeof calling>[0]) => {
    const { stdout, stderr } = await runIn(sandbox, calling(calls))
    return JSON.parse(stdout.text || JSON.stringify({ stderr: stderr.text })) as Record<string, number>
  }

  test('each refused call seems to be missing, and without the filter most of them are there', async () => {
    // With arguments that mean nothing, so that none of them does anything where it is there.
    const calls = Object.entries(table?.refused ?? {}).map(([name, number]) => [name, number, -1, -1, -1, -1] as const)
    const refused = await answers(filtered, calls)
    expect(Object.entries(refused).filter(([, told]) => told !== noSuchCall)).toEqual([])
    const there = Object.values(await answers(unfiltered, calls)).filter((told) => told !== noSuchCall)
    expect(there.length).toBeGreaterThan(calls.length / 2)
  })

  test('clone cannot make a user namespace, and socket no vsock', async () => {
    const newUser = 0x10000000 | 17
    const calls = [
      ['user', table?.clone ?? 0, newUser, 0, 0, 0, 0],
      ['vsock', table?.socket ?? 0, 40, 1, 0],
      ['unix', table?.socket ?? 0, 1, 1, 0],
    ] as const
    expect(await answers(filtered, calls)).toEqual({ user: notPermitted, vsock: noSuchFamily, unix: 0 })
  })

  test.skipIf(process.arch !== 'x64')('a 32-bit call ends the program', async () => {
    const { stdout, exitCode } = await runIn(filtered, callingAs32Bit)
    expect([stdout.text, exitCode]).toEqual(['', 159])
  })

  test('threads, processes, pipes and files work as before, and no descriptor of ours is open', async () => {
    const code = [
      'import os, subprocess, threading, tempfile',
      'thread = threading.Thread(target=lambda: print("thread")); thread.start(); thread.join()',
      'print(subprocess.run(["/bin/sh", "-c", "echo child | cat"], capture_output=True, text=True).stdout.strip())',
      'tempfile.TemporaryFile().write(b"x")',
      // Higher ones are of whoever started this process; Node hands them on.
      'print(sorted(name for name in os.listdir("/proc/self/fd") if int(name) < 16))',
    ].join('\n')
    const { stdout } = await runIn(filtered, code)
    expect(stdout.text).toBe("thread\nchild\n['0', '1', '2', '3']\n")
  })
})
