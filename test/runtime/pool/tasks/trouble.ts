/** A task file that does whatever a test of the pool needs to see survived. */
import { setTimeout as wait } from 'node:timers/promises'

export type Trouble =
  | { do: 'answer'; value: unknown }
  | { do: 'throw' }
  | { do: 'exit' }
  | { do: 'exhaust memory' }
  | { do: 'loop' }
  | { do: 'backtrack' }
  | { do: 'throw later' }
  | { do: 'hold'; gate: SharedArrayBuffer }
  | { do: 'environment' }

export default async function trouble(task: Trouble): Promise<unknown> {
  switch (task.do) {
    case 'answer':
      return task.value
    case 'throw':
      throw Object.assign(new RangeError('out of range'), { code: 'bad_range' })
    case 'exit':
      process.exit(3)
      break
    case 'exhaust memory': {
      const ballast: number[][] = []
      for (;;) ballast.push(Array.from({ length: 10_000 }, (_, index) => index + ballast.length))
    }
    case 'loop':
      for (;;) Math.random()
    case 'backtrack':
      return /^(a+)+$/.test(`${'a'.repeat(60)}b`)
    case 'throw later':
      setTimeout(() => {
        throw new Error('nobody waits for me')
      }, 1)
      return await wait(60_000)
    case 'hold': {
      const gate = new Int32Array(task.gate)
      Atomics.add(gate, 1, 1)
      Atomics.notify(gate, 1)
      Atomics.wait(gate, 0, 0)
      return 'released'
    }
    case 'environment':
      return Object.keys(process.env)
  }
}
