/** E-mail: read from a mailbox by IMAP or posted by a relay, answered by SMTP in the same thread. */
import type { Outgoing } from '../../../runtime/network/outgoing.ts'
import { type ChannelCheck, type ChannelTransport, defineAdapter } from '../adapter.ts'
import { Config, Secrets } from './email/config.ts'
import type { mailTransport } from './email/transport.ts'

/** Not loaded at the start, which clients wait for: most installations have no such channel. */
const library = () => import('./email/transport.ts')

export const email = defineAdapter({
  name: 'email',
  title: { en: 'E-mail', ru: 'Почта' },
  summary: 'E-mail: a mailbox read by IMAP, answers sent by SMTP in the same thread',
  config: Config,
  secrets: Secrets,
  delivers: () => true,
  receives: ({ imap }) => imap !== undefined,
  destinations: ({ smtp, imap }) =>
    [smtp, imap].flatMap((server) => (server ? [{ host: server.host, port: server.port }] : [])),
  checks: ({ config, secrets }, { outgoing }) => checksOf(config, secrets, outgoing),
  open(configured, dependencies): ChannelTransport {
    const { smtp, imap } = configured.config
    const destination = `${smtp.host}:${smtp.port}`
    let opened: ReturnType<typeof mailTransport> | undefined
    const mail = async () => {
      const { mailTransport } = await library()
      opened ??= mailTransport(configured, dependencies)
      return opened
    }
    const transport: ChannelTransport = {
      connect: async (signal) => (await mail()).connect?.(signal),
      destinationOf: () => destination,
      send: async (delivery, signal) => (await mail()).send(delivery, signal),
      close: async () => opened?.close?.(),
    }
    if (!imap) return transport
    return {
      ...transport,
      // Each connection has its own.
      get lost() {
        return opened?.lost ?? Promise.resolve()
      },
    }
  },
})

function checksOf(config: Config, secrets: Secrets, outgoing: Outgoing): ChannelCheck[] {
  const checks: ChannelCheck[] = [
    { name: 'smtp', run: async (signal) => (await library()).checkSmtp(config, secrets, { outgoing, signal }) },
  ]
  if (config.imap)
    checks.push({
      name: 'imap',
      run: async (signal) => (await library()).checkImap(config, secrets, { outgoing, signal }),
    })
  return checks
}
