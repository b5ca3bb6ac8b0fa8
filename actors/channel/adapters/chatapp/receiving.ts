/** The two ways to receive messages: by polling, or by a webhook. The bot API supports one at a time, and is told which. */
import { z } from 'zod'
import { exponential } from '../../../../runtime/time/backoff.ts'
import { sleep } from '../../../../runtime/time/clock.ts'
import { seconds } from '../../../../runtime/time/duration.ts'
import type { AdapterDependencies } from '../../adapter.ts'
import type { BotApi } from './api.ts'
import { updateIntake } from './intake.ts'
import { type Cursor, poll } from './polling.ts'
import { allowedUpdates } from './update.ts'

/** The delay after a connection without a single answered poll: two processes with one bot must not race for its updates. */
const reconnect = exponential(seconds(1), seconds(60))

export interface Receiving {
  /** Resolves when messages come in. */
  connect(signal: AbortSignal): Promise<{ lost: Promise<void> }>
  close(): Promise<void>
}

export function receivingByPolling(api: BotApi, dependencies: AdapterDependencies): Receiving {
  const { clock, random } = dependencies
  const intake = updateIntake(dependencies)
  const cursor: Cursor = { offset: undefined, movedMs: clock.elapsed() }
  let failedConnections = 0
  const onAnswer = () => {
    failedConnections = 0
  }
  return {
    async connect(signal) {
      if (failedConnections > 0) await sleep(clock, reconnect.delayMs(failedConnections, random), signal)
      await api.call('deleteWebhook', { drop_pending_updates: false }, { result: z.unknown(), signal })
      failedConnections++
      return { lost: poll({ api, intake, cursor, dependencies, onAnswer }, signal) }
    },
    async close() {},
  }
}

/** @param publicUrl of the channel itself */
export function receivingByWebhook(
  api: BotApi,
  { publicUrl, secret }: { publicUrl: string | undefined; secret: string },
  dependencies: AdapterDependencies,
): Receiving {
  const { log, webhook } = dependencies
  const { takeOnce } = updateIntake(dependencies)
  let end = () => {}
  return {
    async connect(signal) {
      const base = publicUrl ?? webhook.publicUrl
      if (base === undefined)
        throw new Error('the mode webhook needs an address: CHATAPP_PUBLIC_URL, or public_url of the channel')
      const url = `${base.replace(/\/+$/, '')}${webhook.path}`
      end()
      const ended = Promise.withResolvers<void>()
      end = await webhook.receive({ secret, take: takeOnce }, signal)
      const stop = () => ended.resolve(end())
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      await api.call(
        'setWebhook',
        { url, secret_token: secret, allowed_updates: allowedUpdates, drop_pending_updates: false },
        { result: z.unknown(), signal },
      )
      log.info({ path: webhook.path }, 'the bot API posts its updates')
      return { lost: ended.promise }
    },
    async close() {
      end()
    },
  }
}
