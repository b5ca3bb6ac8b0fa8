/** A program that makes calls of the kernel by their numbers and tells the error of each. */
import { python } from './python.ts'

/** @param calls name, number and arguments; one that is known by no error is told as 0 */
export function calling(calls: readonly (readonly [name: string, number: number, ...given: number[]])[]): string {
  return python`
import ctypes, json
syscall = ctypes.CDLL(None, use_errno=True).syscall
syscall.restype = ctypes.c_long
told = {}
for name, number, *given in json.loads('${JSON.stringify(calls)}'):
    ctypes.set_errno(0)
    result = syscall(*[ctypes.c_long(value) for value in [number, *given]])
    told[name] = ctypes.get_errno() if result == -1 else 0
print(json.dumps(told))
`
}

/** Asks the kernel by its door for 32-bit programs; such a program knows other numbers. */
export const callingAs32Bit = python`
import ctypes, mmap
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
print('ANSWERED', ctypes.CFUNCTYPE(ctypes.c_int)(address)())
`

/** What the kernel would do with the filter: linux/seccomp.h, and the six instructions that are used. */
export function verdictOf(filter: Buffer, call: { architecture: number; number: number; given?: number[] }): number {
  const [first = 0, second = 0] = call.given ?? []
  const words: Record<number, number> = { 0: call.number, 4: call.architecture, 16: first, 24: second }
  let loaded = 0
  for (let index = 0; index * 8 < filter.length; index++) {
    const value = filter.readUInt32LE(index * 8 + 4)
    const passOver = (holds: boolean) => filter.readUInt8(index * 8 + (holds ? 2 : 3))
    switch (filter.readUInt16LE(index * 8)) {
      case 0x20:
        loaded = (words[value] ?? Number.NaN) >>> 0
        break
      case 0x15:
        index += passOver(loaded === value)
        break
      case 0x25:
        index += passOver(loaded > value)
        break
      case 0x45:
        index += passOver((loaded & value) !== 0)
        break
      case 0x06:
        return value
      default:
        throw new Error('no instruction of the filter')
    }
  }
  throw new Error('the filter ends without a verdict')
}
