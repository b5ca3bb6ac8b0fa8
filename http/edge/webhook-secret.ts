/** The secret that a messenger posts with, of the channel in the path: compared in constant time, whether there is one or not. */
import { randomBytes } from 'node:crypto'
import type { App } from '../app.ts'
import { isInboundSecret } from './inbound-secret.ts'

/** The bot API sends it with every post; a route with the access `webhook` declares it. */
export const webhookSecretHeader = 'x-telegram-bot-api-secret-token'

/** Nobody's secret: a channel that is not there takes as long as one that is. */
const noSecret = randomBytes(32).toString('base64url')

export function isWebhookPost(
  { services, metrics }: App,
  {
    params,
    headers,
  }: { params: Record<string, string> | undefined; headers: Readonly<Record<string, string>> | undefined },
): boolean {
  const receiver = services.webhooks.receiver(params?.['channel'] ?? '')
  const isRight = isInboundSecret(headers?.[webhookSecretHeader] ?? '', receiver?.secret ?? noSecret)
  if (!isRight) metrics.counter('service_webhook_posts_refused_total').inc()
  return isRight
}
