/** Liveness: the process answers. Independent of the database, so that its outage does not restart the service. */
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
