/** The server's clock, for clients that have to correct their own. */
import { z } from 'zod'
import { open } from '../access.ts'
import { route } from '../route.ts'

export const time = route({
  method: 'GET',
  path: '/v1/time',
  summary: 'Server time',
  tag: 'system',
  access: open,
  answers: { 200: z.object({ time: z.iso.datetime(), unix_ms: z.int() }) },
  handle({ app }) {
    const nowMs = app.clock.now()
    return { time: new Date(nowMs).toISOString(), unix_ms: Math.trunc(nowMs) }
  },
})
