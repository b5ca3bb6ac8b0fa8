/** The configuration of each kind of channel as fields of a form, and the way from fields to what the API takes. */
import type { channelText } from './text.ts'

type Word = keyof typeof channelText.en

export interface Field {
  /** As in `smtp.host`. */
  path: string
  label: Word
  hint?: Word
  kind: 'text' | 'number' | 'switch' | 'choice'
  /** What an empty form begins with. */
  byDefault: string | boolean
  isRequired?: boolean
  placeholder?: string
  choices?: readonly { value: string; label: Word | { text: string } }[]
  min?: number
  max?: number
  /** Shown and sent only where this other field has this value. */
  onlyIf?: { path: string; is: string | boolean }
}

export interface Secret {
  name: string
  label: Word
  hint?: Word
  /** Can be made here. */
  isGenerated?: boolean
  onlyIf?: { path: string; is: string | boolean }
}

export type AdapterName = 'generic' | 'email' | 'chatapp'
export const adapterNames: readonly AdapterName[] = ['generic', 'email', 'chatapp']

/** Not sent itself: whether the part of that name is. */
const part = (name: string): string => `${name}?`

const withImap = { path: part('imap'), is: true } as const
const byWebhook = { path: 'mode', is: 'webhook' } as const

export const fieldsOf: Record<AdapterName, readonly Field[]> = {
  generic: [
    {
      path: 'url',
      label: 'url',
      hint: 'urlHint',
      kind: 'text',
      byDefault: '',
      placeholder: 'https://example.com/answers',
    },
  ],
  email: [
    {
      path: 'smtp.host',
      label: 'smtpHost',
      kind: 'text',
      byDefault: '',
      isRequired: true,
      placeholder: 'smtp.example.com',
    },
    { path: 'smtp.port', label: 'smtpPort', kind: 'number', byDefault: '587', min: 1, max: 65_535 },
    { path: 'smtp.secure', label: 'tlsAtOnce', hint: 'smtpSecureHint', kind: 'switch', byDefault: false },
    {
      path: 'smtp.from',
      label: 'from',
      hint: 'fromHint',
      kind: 'text',
      byDefault: '',
      isRequired: true,
      placeholder: 'agent@example.com',
    },
    { path: 'smtp.user', label: 'smtpUser', hint: 'smtpUserHint', kind: 'text', byDefault: '' },
    { path: part('imap'), label: 'hasImap', hint: 'hasImapHint', kind: 'switch', byDefault: true },
    {
      path: 'imap.host',
      label: 'imapHost',
      kind: 'text',
      byDefault: '',
      isRequired: true,
      placeholder: 'imap.example.com',
      onlyIf: withImap,
    },
    { path: 'imap.port', label: 'imapPort', kind: 'number', byDefault: '993', min: 1, max: 65_535, onlyIf: withImap },
    {
      path: 'imap.secure',
      label: 'tlsAtOnce',
      hint: 'imapSecureHint',
      kind: 'switch',
      byDefault: true,
      onlyIf: withImap,
    },
    { path: 'imap.user', label: 'imapUser', kind: 'text', byDefault: '', isRequired: true, onlyIf: withImap },
    { path: 'imap.mailbox', label: 'mailbox', kind: 'text', byDefault: 'INBOX', isRequired: true, onlyIf: withImap },
    {
      path: 'imap.days_max',
      label: 'daysMax',
      hint: 'daysMaxHint',
      kind: 'number',
      byDefault: '7',
      min: 1,
      max: 365,
      onlyIf: withImap,
    },
    {
      path: 'tls.reject_unauthorized',
      label: 'checkCertificates',
      hint: 'checkCertificatesHint',
      kind: 'switch',
      byDefault: true,
    },
    {
      path: 'tls.required',
      label: 'tlsRequired',
      kind: 'choice',
      byDefault: '',
      choices: [
        { value: '', label: 'tlsByHost' },
        { value: 'true', label: 'always' },
        { value: 'false', label: 'notNeeded' },
      ],
    },
  ],
  chatapp: [
    {
      path: 'api_base',
      label: 'apiBase',
      hint: 'apiBaseHint',
      kind: 'text',
      byDefault: 'https://api.telegram.org',
      isRequired: true,
    },
    {
      path: 'mode',
      label: 'mode',
      hint: 'modeHint',
      kind: 'choice',
      byDefault: 'polling',
      choices: [
        { value: 'polling', label: 'polling' },
        { value: 'webhook', label: 'webhook' },
      ],
    },
    {
      path: 'webhook.public_url',
      label: 'publicUrl',
      hint: 'publicUrlHint',
      kind: 'text',
      byDefault: '',
      isRequired: true,
      placeholder: 'https://example.com/bot',
      onlyIf: byWebhook,
    },
    {
      path: 'webhook.listen',
      label: 'listen',
      hint: 'listenHint',
      kind: 'text',
      byDefault: '',
      isRequired: true,
      placeholder: '127.0.0.1:8790',
      onlyIf: byWebhook,
    },
  ],
}

export const secretsOf: Record<AdapterName, readonly Secret[]> = {
  generic: [{ name: 'signing_secret', label: 'signingSecret', hint: 'signingSecretHint', isGenerated: true }],
  email: [
    { name: 'smtp_password', label: 'smtpPassword' },
    { name: 'imap_password', label: 'imapPassword', onlyIf: withImap },
  ],
  chatapp: [
    { name: 'bot_token', label: 'botToken', hint: 'botTokenHint' },
    { name: 'webhook_secret', label: 'webhookSecret', hint: 'webhookSecretHint', onlyIf: byWebhook },
  ],
}

export type Draft = Readonly<Record<string, string | boolean>>

export const isAdapter = (name: string): name is AdapterName => adapterNames.some((known) => known === name)

export function isShown({ onlyIf }: { onlyIf?: Field['onlyIf'] }, draft: Draft): boolean {
  return onlyIf === undefined || draft[onlyIf.path] === onlyIf.is
}

/** @param config as the API shows it; undefined for a new channel */
export function draftOf(adapter: AdapterName, config: Record<string, unknown> | undefined): Draft {
  return Object.fromEntries(
    fieldsOf[adapter].map(({ path, byDefault }) => {
      if (config === undefined) return [path, byDefault]
      const value = path.endsWith('?') ? config[path.slice(0, -1)] !== undefined : at(config, path)
      if (value === undefined) return [path, typeof byDefault === 'boolean' ? byDefault : blankOf(path, byDefault)]
      return [path, typeof byDefault === 'boolean' ? value === true : String(value)]
    }),
  )
}

/** A part that is not configured is offered with its defaults; an optional text that is absent stays absent. */
const blankOf = (path: string, byDefault: string): string => (path.includes('.') ? byDefault : '')

function at(config: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null
          ? Object.entries(value).find(([key]) => key === name)?.[1]
          : undefined,
      config,
    )
}

/** What is blank is left out: the service knows its own defaults. */
export function configOf(adapter: AdapterName, draft: Draft): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const field of fieldsOf[adapter]) {
    const value = draft[field.path]
    if (field.path.endsWith('?') || value === undefined || value === '' || !isShown(field, draft)) continue
    const [first = '', second] = field.path.split('.')
    if (second === undefined) config[first] = sent(field, value)
    else config[first] = { ...(config[first] as object | undefined), [second]: sent(field, value) }
  }
  return config
}

function sent(field: Field, value: string | boolean): unknown {
  if (field.kind === 'number') return Number(value)
  if (field.path === 'tls.required') return value === 'true'
  return typeof value === 'string' ? value.trim() : value
}
