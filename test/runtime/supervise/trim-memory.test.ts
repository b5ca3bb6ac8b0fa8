/** Memory that a process at rest gives back, in a process of its own that is run as the gateway is. */
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { gatewayNodeOptions } from '../../../runtime/supervise/node-options.ts'
import { endSpawned, spawnNode } from '../../support/spawned.ts'

afterEach(endSpawned)

test('what is not kept is given back to the system', async () => {
  const trims = fileURLToPath(new URL('processes/trims.ts', import.meta.url))
  const { end, said } = spawnNode(trims, [], { nodeOptions: [...gatewayNodeOptions()] })
  const { before, after, ...rest } = await said('trimmed')
  expect(rest).toEqual({ msg: 'trimmed', kept: 1_000, gc: 'undefined' })
  expect(Number(after)).toBeLessThan(Number(before) - 30)
  expect(await end).toBe(0)
})
