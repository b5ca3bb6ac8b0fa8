/** Liveness: the process answers. It says nothing of the database, so that an outage there restarts nobody. */
import { z } from 'zod'
import { open } from '../access.ts'
import { route } from '../route.ts'

export const healthz = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Liveness and version',
  tag: 'system',
  access: open,
  isAnsweredWhileDraining: true,
  answers: { 200: z.object({ status: z.literal('ok'), version: z.string() }) },
  handle: ({ app }) => ({ status: 'ok', version: app.version }),
})
