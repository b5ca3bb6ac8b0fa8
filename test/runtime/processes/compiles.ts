/** Compiles something, writes it to the cache, says where that is, and is killed. */
import { keepCompiledCode, writeCompiledCode } from '../../../runtime/compile-cache.ts'

const folder = keepCompiledCode()
await import('../../../runtime/time/duration.ts')
writeCompiledCode()
process.stdout.write(`${JSON.stringify({ msg: 'compiled', folder })}\n`, () => process.kill(process.pid, 'SIGKILL'))
