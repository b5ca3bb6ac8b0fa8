/** The configuration of an e-mail channel: the sending server, the mailbox, and TLS. */
import { z } from 'zod'
import { inForm } from '../../form.ts'
import { MailAddress } from './address.ts'

const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:-]+$/, 'must be a host name or an IP address')
const Port = z.int().min(1).max(65_535)
/** No control characters: it becomes part of a command. */
const User = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}+$/u, 'must not hold control characters')

const tlsFromTheFirstByte = { en: 'TLS from the first byte', ru: 'TLS с первого байта' }

export const Config = z.strictObject({
  smtp: z.strictObject({
    host: Host.meta(inForm({ label: { en: 'SMTP server', ru: 'Сервер SMTP' }, placeholder: 'smtp.example.com' })),
    port: Port.default(587).meta(inForm({ label: { en: 'SMTP port', ru: 'Порт SMTP' } })),
    secure: z
      .boolean()
      .default(false)
      .describe('TLS from the first byte (port 465); else by STARTTLS.')
      .meta(
        inForm({
          label: tlsFromTheFirstByte,
          help: { en: 'Port 465. Off: STARTTLS.', ru: 'Порт 465. Выключено: STARTTLS.' },
        }),
      ),
    from: MailAddress.describe('The address that answers come from.').meta(
      inForm({
        label: { en: 'Sender address', ru: 'Адрес отправителя' },
        help: { en: 'Answers come from it.', ru: 'С него приходят ответы.' },
        placeholder: 'agent@example.com',
      }),
    ),
    user: User.optional()
      .describe('Absent: no login to the server.')
      .meta(
        inForm({
          label: { en: 'SMTP user', ru: 'Пользователь SMTP' },
          help: { en: 'Blank: no login to the server.', ru: 'Пусто: вход на сервер не нужен.' },
        }),
      ),
  }),
  imap: z
    .strictObject({
      host: Host.meta(inForm({ label: { en: 'IMAP server', ru: 'Сервер IMAP' }, placeholder: 'imap.example.com' })),
      port: Port.default(993).meta(inForm({ label: { en: 'IMAP port', ru: 'Порт IMAP' } })),
      secure: z
        .boolean()
        .default(true)
        .describe('TLS from the first byte (port 993); else by STARTTLS.')
        .meta(
          inForm({
            label: tlsFromTheFirstByte,
            help: { en: 'Port 993. Off: STARTTLS.', ru: 'Порт 993. Выключено: STARTTLS.' },
          }),
        ),
      user: User.meta(inForm({ label: { en: 'IMAP user', ru: 'Пользователь IMAP' } })),
      mailbox: User.default('INBOX').meta(inForm({ label: { en: 'Folder', ru: 'Папка' } })),
      days_max: z
        .int()
        .min(1)
        .max(365)
        .default(7)
        .describe('Mail that came earlier than this many days ago is ignored.')
        .meta(
          inForm({
            label: { en: 'Oldest mail, days', ru: 'Самая старая почта, дней' },
            help: { en: 'Earlier mail is ignored.', ru: 'Более ранние письма пропускаются.' },
          }),
        ),
    })
    .optional()
    .describe('Absent: mail comes in by POST /v1/inbound.')
    .meta(
      inForm({
        label: { en: 'Read a mailbox', ru: 'Читать почтовый ящик' },
        help: { en: 'Off: a relay posts the mail.', ru: 'Выключено: почту присылает ваш посредник.' },
        isOn: true,
      }),
    ),
  tls: z
    .strictObject({
      reject_unauthorized: z
        .boolean()
        .default(true)
        .describe('False: any certificate is accepted. For tests only.')
        .meta(
          inForm({
            label: { en: 'Check certificates', ru: 'Проверять сертификаты' },
            help: {
              en: 'Off: any certificate is accepted. For tests only.',
              ru: 'Выключено: принимается любой. Только для проверок.',
            },
          }),
        ),
      required: z
        .boolean()
        .optional()
        .describe('Whether TLS is required. Absent: it is, except to a loopback host.')
        .meta(
          inForm({
            label: { en: 'Encryption', ru: 'Шифрование' },
            choices: [
              { value: null, label: { en: 'required, except to this machine', ru: 'нужно, кроме этой же машины' } },
              { value: true, label: { en: 'always required', ru: 'нужно всегда' } },
              { value: false, label: { en: 'not required', ru: 'не нужно' } },
            ],
          }),
        ),
    })
    .prefault({}),
})
export type Config = z.infer<typeof Config>

const Password = z.string().min(1).max(1_000)

export const Secrets = z.strictObject({
  smtp_password: Password.optional().meta(inForm({ label: { en: 'SMTP password', ru: 'Пароль SMTP' } })),
  imap_password: Password.optional().meta(
    inForm({ label: { en: 'IMAP password', ru: 'Пароль IMAP' }, onlyIf: { path: 'imap', is: true } }),
  ),
})
export type Secrets = z.infer<typeof Secrets>

/** A mail server, for SMTP or IMAP. */
export interface MailServer {
  host: string
  port: number
  secure: boolean
  isTlsRequired: boolean
  isAnyCertificateTaken: boolean
}

export function serverOf(server: { host: string; port: number; secure: boolean }, tls: Config['tls']): MailServer {
  return {
    host: server.host,
    port: server.port,
    secure: server.secure,
    isTlsRequired: tls.required ?? !isLoopback(server.host),
    isAnyCertificateTaken: !tls.reject_unauthorized,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
