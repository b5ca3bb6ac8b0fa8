/** `POST /v1/admin/channels/:name/test`: checks the connections of a channel, with a result for each. */
import { z } from 'zod'
import type { ChannelCheck } from '../../../actors/channel/adapter.ts'
import { atMost } from '../../../runtime/time/at-most.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { ChannelParams, channelOf } from './of-workspace.ts'

/** For one check. They run at once, and fit into the default deadline of a request. */
const checkMs = seconds(12)

const wordsCharactersMax = 500

const CheckView = z.object({
  name: z.string().describe('webhook, smtp, imap or bot_api'),
  is_ok: z.boolean(),
  words: z.string().describe('What was found, or what failed.'),
  duration_ms: z.int(),
})

export const testChannel = route({
  method: 'POST',
  path: '/v1/admin/channels/:name/test',
  summary: 'Test the connections of a channel',
  description:
    'With the present configuration, also while the channel is off. No person gets a message: a webhook gets a signed `channel.test`, mail servers a login, a bot API `getMe`. No checks: there is nothing to connect to.',
  tag: 'channels',
  access: admin('channels.write'),
  params: ChannelParams,
  answers: { 200: z.object({ is_ok: z.boolean(), checks: z.array(CheckView) }) },
  async handle({ app, params, principal, signal }) {
    const { adapter, name, config, secrets } = await channelOf(app, principal, params.name)
    const checks =
      adapter.checks?.({ name, config, secrets }, { clock: app.clock, outgoing: app.services.outgoing }) ?? []
    const results = await Promise.all(checks.map((check) => resultOf(check, app.clock, signal)))
    return { is_ok: results.every(({ is_ok }) => is_ok), checks: results }
  },
})

async function resultOf(check: ChannelCheck, clock: Clock, signal: AbortSignal): Promise<z.infer<typeof CheckView>> {
  const startedMs = clock.elapsed()
  const limit = new AbortController()
  const onLate = () => {
    const late = new Error(`no answer in ${checkMs / 1_000} s`)
    limit.abort(late)
    throw late
  }
  const done = (is_ok: boolean, words: string) => ({
    name: check.name,
    is_ok,
    words: words.slice(0, wordsCharactersMax),
    duration_ms: Math.round(clock.elapsed() - startedMs),
  })
  try {
    return done(true, await atMost(checkMs, check.run(AbortSignal.any([signal, limit.signal])), { clock, onLate }))
  } catch (error) {
    signal.throwIfAborted()
    // A failed check is a result, not an error of this request.
    return done(false, failureWords(error))
  }
}

function failureWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  const isSystemCode = typeof code === 'string' && /^E[A-Z]+$/.test(code)
  return isSystemCode && !error.message.includes(code) ? `${code}: ${error.message}` : error.message || 'no answer'
}
