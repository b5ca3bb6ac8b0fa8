/**
 * The filter that the kernel applies to every system call of a sandboxed program: a program in classic BPF, assembled here, so
 * that no compiler and no library is needed. It refuses the listed calls and allows all others: a list of all calls that
 * interpreters need would break with each new version of a libc.
 */
import { type CallTable, callTables, lastKnownCall } from './refused-calls.ts'

interface Instruction {
  code: number
  /** Instructions to skip when the comparison is true, and when it is false. */
  whenTrue: number
  whenFalse: number
  value: number
}

/** linux/bpf_common.h */
const codes = { load: 0x20, jumpEqual: 0x15, jumpGreater: 0x25, jumpAnyBit: 0x45, return: 0x06 }
/** linux/seccomp.h: offsets in struct seccomp_data. Of arguments the lower 32 bits: the kernel reads no more of these. */
const at = { number: 0, architecture: 4, firstArgument: 16, secondArgument: 24 }
const verdicts = { kill: 0x80000000, allow: 0x7fff0000, error: 0x00050000 }
const errors = { notPermitted: 1, noSuchCall: 38, noSuchFamily: 97 }

/** Namespaces that clone can make: mount, cgroup, UTS, IPC, user, PID, network. */
const namespaceFlags = 0x7e020000
/** Commands that insert input into a terminal (TIOCSTI, TIOCLINUX). */
const terminalCommands = [0x5412, 0x541c]
/** Unix, IPv4, IPv6, and netlink, which programs use to list their interfaces. Not vsock, which ignores network namespaces. */
const families = [1, 2, 10, 16]

/** @returns undefined where the calls of the architecture are not known here */
export function callFilter(architecture: string = process.arch): Buffer | undefined {
  const table = callTables[architecture]
  return table && bytesOf(instructions(table))
}

function instructions({ architecture, refused, clone, ioctl, socket }: CallTable): Instruction[] {
  return [
    load(at.architecture),
    // Another architecture's calls have other numbers: 32-bit programs on a 64-bit kernel.
    jump('jumpEqual', architecture, 1, 0),
    verdict(verdicts.kill),
    load(at.number),
    // This covers the calls of x32 too, which begin at 2^30.
    ...when('jumpGreater', lastKnownCall, [fail(errors.noSuchCall)]),
    ...Object.values(refused).flatMap((number) => when('jumpEqual', number, [fail(errors.noSuchCall)])),
    ...when('jumpEqual', clone, [
      load(at.firstArgument),
      ...when('jumpAnyBit', namespaceFlags, [fail(errors.notPermitted)]),
      verdict(verdicts.allow),
    ]),
    ...when('jumpEqual', ioctl, [
      load(at.secondArgument),
      ...terminalCommands.flatMap((command) => when('jumpEqual', command, [fail(errors.notPermitted)])),
      verdict(verdicts.allow),
    ]),
    ...when('jumpEqual', socket, [
      load(at.firstArgument),
      ...families.flatMap((family) => when('jumpEqual', family, [verdict(verdicts.allow)])),
      fail(errors.noSuchFamily),
    ]),
    verdict(verdicts.allow),
  ]
}

const load = (offset: number): Instruction => ({ code: codes.load, whenTrue: 0, whenFalse: 0, value: offset })
const verdict = (value: number): Instruction => ({ code: codes.return, whenTrue: 0, whenFalse: 0, value })
const fail = (error: number): Instruction => verdict(verdicts.error | error)

function jump(code: keyof typeof codes, value: number, whenTrue: number, whenFalse: number): Instruction {
  return { code: codes[code], whenTrue, whenFalse, value }
}

/** @param then runs when the comparison is true and ends in a verdict; at most 255 instructions, the reach of a jump */
function when(code: keyof typeof codes, value: number, then: readonly Instruction[]): Instruction[] {
  return [jump(code, value, 0, then.length), ...then]
}

/** struct sock_filter; both architectures are little-endian. */
function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, whenTrue, whenFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(whenTrue, index * 8 + 2)
    bytes.writeUInt8(whenFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
