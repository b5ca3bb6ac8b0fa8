/** A mail of the service itself, such as an alert, by the server of an e-mail channel. It is no answer, and starts a thread of its own. */
import MailComposer from 'nodemailer/lib/mail-composer'
import type { Outgoing } from '../../../../runtime/network/outgoing.ts'
import { DeliveryFailed, type Sent } from '../../adapter.ts'
import type { Channel } from '../../channels.ts'
import { domainOf, oneLine, plainAddress } from './address.ts'
import { Config, Secrets } from './config.ts'
import { htmlOf } from './outgoing.ts'
import { submission } from './submission.ts'
import { smtpAccount } from './transport.ts'

export interface NoticeMail {
  /** The same in every attempt: receivers drop a second one. */
  id: string
  to: string
  subject: string
  text: string
  date: Date
}

const subjectCharactersMax = 200
const textCharactersMax = 100_000

/** @throws DeliveryFailed */
export async function sendNoticeMail(
  channel: Pick<Channel, 'config' | 'secrets'>,
  mail: NoticeMail,
  { outgoing, signal }: { outgoing: Outgoing; signal: AbortSignal },
): Promise<Sent> {
  const config = Config.parse(channel.config)
  const { from } = config.smtp
  const to = plainAddress(mail.to)
  if (to === undefined)
    throw new DeliveryFailed('the address of the subscription cannot be mailed to', { isFinal: true })
  const text = mail.text.toWellFormed().slice(0, textCharactersMax)
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    subject: oneLine(mail.subject, subjectCharactersMax),
    messageId: `<${mail.id}@${domainOf(from)}>`,
    date: mail.date,
    // RFC 3834, 5: no machine answers it.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text,
    html: htmlOf(text),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const raw = await composer.compile().build()
  const account = smtpAccount(config, Secrets.parse(channel.secrets), outgoing)
  return await submission(account).submit({ from, to, raw }, signal)
}
