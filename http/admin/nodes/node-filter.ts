/** Which nodes a question of operators is about. */
import { z } from 'zod'
import { notFound } from '../../error.ts'

/** In a query: digits, as it is written everywhere else. */
export const nodeNumber = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)

export const nodeFilter = z
  .union([z.literal('all'), nodeNumber])
  .default('all')
  .describe('The number of a node, or all that live.')

/** @throws ApiError 404 where the node does not live */
export function nodesOf(around: { living(): readonly number[] }, node: number | 'all'): readonly number[] {
  const living = around.living()
  if (node === 'all') return living
  if (!living.includes(node)) throw notFound(`No node ${node} lives.`, 'node')
  return [node]
}
