/** The adapter opened as a channel opens it, in a world that remembers what was taken. */

import type { ChannelTransport, IncomingMessage, OutgoingDelivery } from '../../../../../actors/channel/adapter.ts'
import { email } from '../../../../../actors/channel/adapters/email.ts'
import { systemRandom } from '../../../../../runtime/random.ts'
import { type Clock, systemClock } from '../../../../../runtime/time/clock.ts'
import { newConversationId, newDeliveryId, newMessageId } from '../../../../../store/id.ts'
import { toLoopback } from '../../../../support/outgoing.ts'
import { type RecordedLine, recordingLog } from '../../../../support/recording-log.ts'
import { noWebhook } from '../../support/no-webhook.ts'
import { imapPassword, imapUser } from './imap-server.ts'
import { smtpPassword, smtpUser } from './smtp-server.ts'

export interface OpenEmail {
  transport: ChannelTransport
  /** Committed, in order. */
  taken: IncomingMessage[]
  /** Each time the adapter handed a message over, committed or not. */
  handed: IncomingMessage[]
  /** Throws: the message is not committed. */
  beforeTaking: (message: IncomingMessage) => Promise<void>
  lines: RecordedLine[]
}

export function openEmail(
  ports: { smtp: number; imap?: number },
  more: {
    clock?: Clock
    secrets?: Record<string, string>
    tls?: object
    secure?: boolean
    isImapSecure?: boolean
  } = {},
): OpenEmail {
  const { log, lines } = recordingLog()
  const config = email.config.parse({
    smtp: {
      host: '127.0.0.1',
      port: ports.smtp,
      from: 'agent@example.com',
      secure: more.secure ?? false,
      user: smtpUser,
    },
    ...(ports.imap && {
      imap: { host: '127.0.0.1', port: ports.imap, secure: more.isImapSecure ?? more.secure ?? false, user: imapUser },
    }),
    ...(more.tls && { tls: more.tls }),
  })
  const secrets = email.secrets.parse(more.secrets ?? { smtp_password: smtpPassword, imap_password: imapPassword })
  const openedChannel: Omit<OpenEmail, 'transport'> = {
    taken: [],
    handed: [],
    beforeTaking: async () => undefined,
    lines,
  }
  const transport = email.open(
    { name: 'mail', config, secrets },
    {
      clock: more.clock ?? systemClock,
      outgoing: toLoopback,
      webhook: noWebhook,
      random: systemRandom,
      log,
      async take(message) {
        openedChannel.handed.push(message)
        await openedChannel.beforeTaking(message)
        openedChannel.taken.push(message)
      },
    },
  )
  return Object.assign(openedChannel, { transport })
}

export function delivery(fields: Partial<OutgoingDelivery> = {}): OutgoingDelivery {
  return {
    id: newDeliveryId(),
    conversationId: newConversationId(),
    messageId: newMessageId(),
    externalId: 'ada@example.org',
    replyTo: null,
    text: 'It is on its way.',
    attempts: 0,
    createdAt: new Date('2026-03-02T10:00:00Z'),
    ...fields,
  }
}

/** A mail of Ada's; headers given replace hers, undefined takes one away. */
export function mailOfAda(headers: Record<string, string | undefined> = {}, body = 'Where is my parcel?'): string {
  const all: Record<string, string | undefined> = {
    From: 'Ada Lovelace <Ada@Example.org>',
    To: 'agent@example.com',
    Subject: 'My parcel',
    'Message-ID': '<one@example.org>',
    Date: 'Mon, 02 Mar 2026 10:00:00 +0000',
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return `${lines.join('\n')}\n\n${body}\n`
}
