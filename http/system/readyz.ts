/** Readiness: whether to send requests here. The message of a 503 says what is missing. */
import { z } from 'zod'
import { open } from '../access.ts'
import { reply } from '../answer.ts'
import type { Readiness } from '../app.ts'
import { errorEnvelope } from '../error.ts'
import { route } from '../route.ts'

export const readyz = route({
  method: 'GET',
  path: '/readyz',
  summary: 'Readiness: 503 while the database is down, its schema is not this version’s, or the service is stopping',
  tag: 'system',
  access: open,
  isAnsweredWhileDraining: true,
  answers: { 200: z.object({ status: z.literal('ready'), node: z.int().describe('The node that answers.') }) },
  async handle({ app }) {
    const readiness = await app.ready()
    if (readiness.isReady) return { status: 'ready', node: app.nodes.node }
    return reply(503, errorEnvelope('overloaded_error', 'not_ready', reasonOf(readiness)), { 'retry-after': '1' })
  },
})

function reasonOf(readiness: Readiness): string {
  if (readiness.isDraining) return 'The service is stopping.'
  if (readiness.database === 'down') return 'The database cannot be reached, or takes no writes.'
  if (readiness.schema === 'pending') return 'The database schema is not migrated yet.'
  if (readiness.schema === 'newer') return 'The database schema belongs to a newer version of the service.'
  return 'The service is not ready.'
}
