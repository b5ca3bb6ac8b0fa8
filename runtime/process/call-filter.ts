/**
 * The filter that the kernel runs on every call of a program in a sandbox: a program of classic BPF, put together here byte
 * by byte, since that takes no compiler and no library. It refuses what is listed and lets the rest through: a list of all
 * that interpreters need would break with each new version of a libc.
 */
import { type CallTable, callTables, lastKnownCall } from './refused-calls.ts'

interface Instruction {
  code: number
  /** Instructions to pass over where the comparison holds, and where it does not. */
  whenTrue: number
  whenFalse: number
  value: number
}

/** linux/bpf_common.h */
const codes = { load: 0x20, jumpEqual: 0x15, jumpGreater: 0x25, jumpAnyBit: 0x45, give: 0x06 }
/** linux/seccomp.h: where in the description of a call the 32 bits stand. Of arguments the lower half: the kernel takes no more of these. */
const at = { number: 0, architecture: 4, firstArgument: 16, secondArgument: 24 }
const verdicts = { kill: 0x80000000, allow: 0x7fff0000, error: 0x00050000 }
const errors = { notPermitted: 1, noSuchCall: 38, noSuchFamily: 97 }

/** Namespaces that clone can make: mount, cgroup, UTS, IPC, user, PID, network. */
const namespaceFlags = 0x7e020000
/** Commands that type into a terminal as if its user had (TIOCSTI, TIOCLINUX). */
const terminalCommands = [0x5412, 0x541c]
/** Unix, IPv4, IPv6, and netlink, by which programs ask for their own interfaces. Not vsock, which knows no network namespace. */
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
    give(verdicts.kill),
    load(at.number),
    // With what is unknown go the calls of x32, which begin at 2^30.
    ...when('jumpGreater', lastKnownCall, [fail(errors.noSuchCall)]),
    ...Object.values(refused).flatMap((number) => when('jumpEqual', number, [fail(errors.noSuchCall)])),
    ...when('jumpEqual', clone, [
      load(at.firstArgument),
      ...when('jumpAnyBit', namespaceFlags, [fail(errors.notPermitted)]),
      give(verdicts.allow),
    ]),
    ...when('jumpEqual', ioctl, [
      load(at.secondArgument),
      ...terminalCommands.flatMap((command) => when('jumpEqual', command, [fail(errors.notPermitted)])),
      give(verdicts.allow),
    ]),
    ...when('jumpEqual', socket, [
      load(at.firstArgument),
      ...families.flatMap((family) => when('jumpEqual', family, [give(verdicts.allow)])),
      fail(errors.noSuchFamily),
    ]),
    give(verdicts.allow),
  ]
}

const load = (offset: number): Instruction => ({ code: codes.load, whenTrue: 0, whenFalse: 0, value: offset })
const give = (verdict: number): Instruction => ({ code: codes.give, whenTrue: 0, whenFalse: 0, value: verdict })
const fail = (error: number): Instruction => give(verdicts.error | error)

function jump(code: keyof typeof codes, value: number, whenTrue: number, whenFalse: number): Instruction {
  return { code: codes[code], whenTrue, whenFalse, value }
}

/** What is done where the comparison holds; it ends in a verdict. A jump reaches 255 instructions, and these are few. */
function when(code: keyof typeof codes, value: number, then: readonly Instruction[]): Instruction[] {
  return [jump(code, value, 0, then.length), ...then]
}

/** struct sock_filter, little end first, as both architectures have it. */
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
