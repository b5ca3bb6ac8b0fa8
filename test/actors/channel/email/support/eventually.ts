/** Waits for a condition, no longer than needed. */
import { expect } from 'vitest'

export const eventually = <Value>(get: () => Value) => expect.poll(get, { interval: 10 })
