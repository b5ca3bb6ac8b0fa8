/** What the form of a channel sends: only what was changed; everything else stays as it was read. */
import { expect, test } from 'vitest'
import { adapters as allAdapters } from '../../actors/channel/adapters.ts'
import { formFields, formSecrets } from '../../actors/channel/form.ts'
import { configOf, draftOf } from '../../web/pages/channel/adapter-form.ts'
import { type Channel, changesOf, defaultPolicy, formOf, hasChanges } from '../../web/pages/channel/form.ts'

const adapters = Array.from(allAdapters.values(), ({ name, title, summary, config, secrets }) => ({
  name,
  title,
  summary,
  fields: formFields(config),
  secrets: formSecrets(secrets),
}))

const fieldsOf = (adapter: string) => adapters.find(({ name }) => name === adapter)?.fields ?? []

const channel = (adapter: string, config: Record<string, unknown>): Channel => ({
  id: 'chan_1',
  name: 'one',
  adapter,
  config,
  policy: defaultPolicy,
  secrets: [],
  waiting_turns: 0,
  is_enabled: true,
  is_paused: false,
  created_at: '',
  updated_at: '',
  connection: { status: 'none', since: null, last_error: null },
  inbound: { needs_secret: false, needs_binding: true, ignored: 0 },
})

const smtp = { host: 'smtp.example.com', port: 465, secure: true, from: 'agent@example.com' }
const imap = { host: 'imap.example.com', port: 993, secure: false, user: 'a', mailbox: 'INBOX', days_max: 3 }

test.each([
  ['generic', {}],
  ['generic', { url: 'https://example.com/answers' }],
  ['email', { smtp, tls: { reject_unauthorized: true } }],
  ['email', { smtp: { ...smtp, user: 'a' }, imap, tls: { reject_unauthorized: false, required: false } }],
  ['chatapp', { api_base: 'https://api.example.com', mode: 'polling' }],
  [
    'chatapp',
    {
      api_base: 'https://api.example.com',
      mode: 'webhook',
      webhook: { public_url: 'https://a.example' },
    },
  ],
  ['chatapp', { api_base: 'https://api.example.com' }],
] as const)('a configuration that was read is sent back as it was: %s %j', (adapter, config) => {
  const fields = fieldsOf(adapter)
  expect(configOf(fields, draftOf(fields, config))).toEqual(config)
  const form = formOf(channel(adapter, config), adapters)
  expect(hasChanges(changesOf(form, form))).toBe(false)
})

test('only changes are sent: single fields of the policy, secrets that were typed or removed', () => {
  const before = formOf(channel('generic', { url: 'https://example.com/answers' }), adapters)
  const policy = { ...before.policy, rate_per_s: 5 }
  expect(changesOf(before, { ...before, policy })).toEqual({ policy: { rate_per_s: 5 } })
  expect(changesOf(before, { ...before, secrets: { signing_secret: '' } })).toEqual({})
  expect(changesOf(before, { ...before, secrets: { signing_secret: null } })).toEqual({
    secrets: { signing_secret: null },
  })
  expect(changesOf(before, { ...before, config: { url: '' } })).toEqual({ config: {} })
})

test('a kind that the form does not know keeps its configuration', () => {
  const before = formOf(channel('pigeon', { loft: 'north' }), adapters)
  expect(changesOf(before, { ...before, policy: { ...before.policy, agent: 'other' } })).toEqual({
    policy: { agent: 'other' },
  })
})
