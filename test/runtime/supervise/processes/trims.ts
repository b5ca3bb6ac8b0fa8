/** Makes much that it does not keep, as a start does, and says how much memory it holds before and after it is trimmed. */
import { trimMemory } from '../../../../runtime/supervise/trim-memory.ts'

const mebibytes = () => Math.round(process.memoryUsage.rss() / 1_048_576)

let ballast: object[] = []
for (let round = 0; round < 40; round++) ballast = Array.from({ length: 100_000 }, (_, nth) => ({ round, nth }))
const some = ballast.slice(0, 1_000)
ballast = []
const before = mebibytes()
trimMemory()
console.log(JSON.stringify({ msg: 'trimmed', before, after: mebibytes(), kept: some.length, gc: typeof globalThis.gc }))
