/** The one listener for the webhooks of messengers, on a port of its own; open from the first channel that needs it. */
import type { ProcessPlace } from '../../runtime/supervise/messages.ts'
import type { App } from '../app.ts'
import type { EdgePolicy } from '../edge/policy.ts'
import { createHttpGateway } from '../gateway.ts'
import type { HttpServer } from '../server/http-server.ts'
import { parseListenAddress } from '../server/listen-address.ts'
import { postUpdate } from './post-update.ts'

/** Messengers keep a few dozen connections for a bot. */
const connectionsMax = 512
const bodiesBytesMax = 32 * 1_048_576

export interface WebhookListener {
  close(graceMs: number): Promise<void>
}

/** Opens nothing by itself: channels do. The port is on the gateway's interface. */
export function webhookListener(app: App, policy: () => EdgePolicy, place?: ProcessPlace): WebhookListener {
  const { settings, log, services } = app
  let server: HttpServer | undefined
  let isClosed = false

  services.webhooks.listenBy(() => {
    if (server || isClosed) return
    const { host } = parseListenAddress(settings.get('SERVICE_GATEWAY_ADDR'))
    const address = { host, port: settings.get('SERVICE_CHATAPP_CONNECTOR_PORT') }
    const made = createHttpGateway({
      ...{ app, policy, routes: [postUpdate], connectionsMax, bodiesBytesMax },
      streamBytesMax: 65_536,
      place: place && { ...place, isFirst: false },
    }).server
    made.listen(address)
    server = made
    log.info(address, 'webhooks of messengers are listened for')
  })
  return {
    async close(graceMs) {
      isClosed = true
      await server?.close(graceMs)
    },
  }
}
