/** Waits for a condition: longer than a busy machine takes, and no longer than needed. */
import { expect } from 'vitest'

export const eventually = <Value>(get: () => Value) => expect.poll(get, { timeout: 15_000, interval: 10 })
