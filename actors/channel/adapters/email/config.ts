/** What an operator says of an e-mail channel: the server that sends, the mailbox that is read, and how far either is trusted. */
import { z } from 'zod'
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

export const Config = z.strictObject({
  smtp: z.strictObject({
    host: Host,
    port: Port.default(587),
    secure: z.boolean().default(false).describe('TLS from the first byte (port 465); else by STARTTLS.'),
    from: MailAddress.describe('The address that answers come from.'),
    user: User.optional().describe('Absent: the server is not logged in to.'),
  }),
  imap: z
    .strictObject({
      host: Host,
      port: Port.default(993),
      secure: z.boolean().default(true).describe('TLS from the first byte (port 993); else by STARTTLS.'),
      user: User,
      mailbox: User.default('INBOX'),
      days_max: z
        .int()
        .min(1)
        .max(365)
        .default(7)
        .describe('Mail that came earlier than this many days ago is left alone.'),
    })
    .optional()
    .describe('Absent: mail comes in by POST /v1/inbound.'),
  tls: z
    .strictObject({
      reject_unauthorized: z.boolean().default(true).describe('False: any certificate will do. For tests only.'),
      required: z.boolean().optional().describe('Nothing is said without TLS; by default so, but to a loopback host.'),
    })
    .prefault({}),
})
export type Config = z.infer<typeof Config>

const Password = z.string().min(1).max(1_000)

export const Secrets = z.strictObject({
  smtp_password: Password.optional(),
  imap_password: Password.optional(),
})
export type Secrets = z.infer<typeof Secrets>

/** A server as both protocols see it. */
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
