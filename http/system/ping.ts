/** The cheapest answer of the service, for checking that it can be reached. */
import { z } from 'zod'
import { open } from '../access.ts'
import { route } from '../route.ts'

export const ping = route({
  method: 'GET',
  path: '/v1/ping',
  summary: 'Reachability check',
  tag: 'system',
  access: open,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  handle: () => ({ ok: true }),
})
