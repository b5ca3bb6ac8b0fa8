/** The two ways to receive messages: by polling, or by a webhook. The bot API supports one at a time, and is told which. */
import { z } from 'zod'
import { exponential } from '../../../../runtime/time/backoff.ts'
import { sleep } from '../../../../runtime/time/clock.ts'
import { seconds } from '../../../../runtime/time/duration.ts'
import type { AdapterDependencies } from '../../adapter.ts'
import type { BotApi } from './api.ts'
import { type Config, listenAddressOf } from './config.ts'
import { updateIntake } from './intake.ts'
import { type Cursor, poll } from './polling.ts'
import { allowedUpdates } from './update.ts'
import { listenForUpdates, type WebhookListener } from './webhook.ts'

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

export function receivingByWebhook(
  api: BotApi,
  webhook: NonNullable<Config['webhook']>,
  secret: string | undefined,
  dependencies: AdapterDependencies,
): Receiving {
  const { clock, log } = dependencies
  const { takeOnce } = updateIntake(dependencies)
  let listener: WebhookListener | undefined
  return {
    async connect(signal) {
      if (secret === undefined) throw new Error('the mode webhook needs the secret webhook_secret')
      await listener?.close()
      const address = listenAddressOf(webhook.listen)
      const opened = await listenForUpdates({ address, secret, clock, log, takeOnce })
      listener = opened
      const closed = Promise.withResolvers<void>()
      const shut = () => closed.resolve(opened.close())
      if (signal.aborted) shut()
      else signal.addEventListener('abort', shut, { once: true })
      await api.call(
        'setWebhook',
        {
          url: webhook.public_url,
          secret_token: secret,
          allowed_updates: allowedUpdates,
          drop_pending_updates: false,
        },
        { result: z.unknown(), signal },
      )
      return { lost: Promise.race([opened.lost, closed.promise]) }
    },
    async close() {
      await listener?.close()
    },
  }
}
