/** Which nodes a question of operators is about. */
import { z } from 'zod'
import { notFound } from '../../error.ts'

export const nodeFilter = z
  .union([z.literal('all'), z.coerce.number().int().min(1)])
  .default('all')
  .describe('The number of a node, or all that live.')

/** @throws ApiError 404 where the node does not live */
export function nodesOf(around: { living(): readonly number[] }, node: number | 'all'): readonly number[] {
  const living = around.living()
  if (node === 'all') return living
  if (!living.includes(node)) throw notFound(`No node ${node} lives.`, 'node')
  return [node]
}
