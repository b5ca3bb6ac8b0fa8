import { stat } from 'node:fs/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { createPool } from '../../runtime/pool/pool.ts'
import { type HashTask, hashPool } from '../../workers/hash.task.ts'

const pool = createPool<HashTask, string | boolean>(hashPool)
afterAll(() => pool.close())

describe('hash worker', () => {
  test('it makes argon2id hashes with OWASP’s parameters, salted, and checks passwords against them', async () => {
    const [one, two] = await Promise.all([
      pool.run({ kind: 'hash', password: 'correct horse' }),
      pool.run({ kind: 'hash', password: 'correct horse' }),
    ])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).not.toBe(two)
    expect(await pool.run({ kind: 'verify', password: 'correct horse', hash: String(one) })).toBe(true)
    expect(await pool.run({ kind: 'verify', password: 'wrong horse', hash: String(one) })).toBe(false)
  })

  test('what is no hash is an error of that task only', async () => {
    await expect(pool.run({ kind: 'verify', password: 'x', hash: 'no hash' })).rejects.toThrow()
    expect(pool.gauges.died).toBe(0)
  })

  test('while many hashes run, two at a time, a file operation waits for none of them', async () => {
    await Promise.all([1, 2].map(() => pool.run({ kind: 'hash', password: 'warm' })))
    let ended = 0
    let mostRunning = 0
    const hashes = Array.from({ length: 16 }, async () => {
      await pool.run({ kind: 'hash', password: 'x' })
      ended++
    })
    const endedDuring: number[] = []
    while (ended < hashes.length) {
      mostRunning = Math.max(mostRunning, pool.gauges.running)
      const before = ended
      await stat(import.meta.dirname)
      endedDuring.push(ended - before)
    }
    expect(mostRunning).toBe(2)
    // On libuv's four threads the first file operation would stand behind all but the last three of the 16 hashes. Where others
    // use the cores, this thread may stand still for the time of a few.
    expect(Math.max(...endedDuring)).toBeLessThan(12)
  })
})
