/** `POST /chatapp/:channel` of the webhooks' listener: an update of a bot API. Answered with 200 after its commit. */
import { z } from 'zod'
import { seconds } from '../../runtime/time/duration.ts'
import { webhook } from '../access.ts'
import { webhookSecretHeader } from '../edge/webhook-secret.ts'
import { overloaded } from '../error.ts'
import { route } from '../route.ts'

/** Updates of one channel that are taken at once; more are refused, and the bot API posts them again. */
const updatesMax = 128

export const postUpdate = route({
  method: 'POST',
  path: '/chatapp/:channel',
  summary: 'Take an update of a bot API',
  tag: 'channels',
  access: webhook,
  headers: [webhookSecretHeader],
  bodyBytesMax: 1_048_576,
  // Below the minute or so that the bot API waits. An update that is committed later is recognised when it comes again.
  deadlineMs: seconds(30),
  params: z.object({ channel: z.string().max(64) }),
  body: z.custom<object>((body) => typeof body === 'object' && body !== null, 'must be an object'),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle({ app, params, body }) {
    const receiver = app.services.webhooks.receiver(params.channel)
    // Closed since its secret was checked.
    if (!receiver) throw overloaded('The channel is closed; post it again.')
    if (receiver.underWay >= updatesMax) throw overloaded('Too many updates are under way; post it again.')
    receiver.underWay++
    try {
      await receiver.take(body)
    } finally {
      receiver.underWay--
    }
    return { ok: true }
  },
})
