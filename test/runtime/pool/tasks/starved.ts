/** A process in which every worker thread of the pool dies at its start: prints how three tasks end. */
import { createPool } from '../../../../runtime/pool/pool.ts'

const pool = createPool<unknown, unknown>({
  name: 'starved',
  file: new URL('./trouble.ts', import.meta.url),
  size: 2,
  queueMax: 2,
  timeoutMs: 20_000,
  memoryMb: 32,
})
const tasks = [1, 2, 3].map((value) => pool.run({ do: 'answer', value }))
// What is not awaited does not keep a process alive, and a thread that is gone keeps none either.
const alive = setInterval(() => {}, 1_000)
const ends = await Promise.allSettled(tasks)
clearInterval(alive)
console.log(ends.map((end) => (end.status === 'rejected' ? end.reason.name : end.status)).join(' '))
