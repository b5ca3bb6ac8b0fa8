/** `POST /v1/admin/settings` and `…/check`: changes several settings at once, or only checks the change. */
import { z } from 'zod'
import { isSettingKey, type SettingKey } from '../../../config/catalogue.ts'
import {
  changeSettings,
  type RedactedSetting,
  readPlainSettings,
  type SettingsChange,
  SettingsConflict,
} from '../../../store/settings/live-settings.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import { errorEnvelope } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import {
  ChangeRefused,
  changeBytesMax,
  changeRequestFields,
  parseChange,
  Refusal,
  validationRefusals,
} from './change-request.ts'
import { ownerOnlyRefusals } from './may-change.ts'
import { SettingView, settingViews } from './view.ts'

const ShownValue = z.union([z.string().max(1_048_576), z.literal(true), z.null()])

export const changeSettingsRoute = route({
  method: 'POST',
  path: '/v1/admin/settings',
  issues: 'fixed key',
  summary: 'Change settings',
  description:
    'Several at once, all or none: if one is refused, or a stored value is not the expected one, nothing changes. Live ' +
    'settings apply at once, in every process of the database. A refusal is 400 settings_refused with every key and its ' +
    'error in `refusals` (key, message); a conflict is 409 settings_conflict with the stored values in `current`.',
  tag: 'settings',
  access: admin('settings.write', { isDangerous: true, isInstallation: true }),
  bodyBytesMax: changeBytesMax,
  body: z.strictObject({
    ...changeRequestFields,
    expected: z
      .record(z.string().max(100), ShownValue)
      .default({})
      .describe('The stored values that the client knows: the text as it was shown, null for none, true for a secret.'),
  }),
  answers: {
    200: z.object({
      changed: z.array(z.string()),
      pending_restart: z.array(z.string()).describe('The changed ones that apply only after a restart.'),
      items: z.array(SettingView).describe('The settings of the request, as they are now.'),
    }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const { change, refusals } = parseChange(body)
    refusals.push(...ownerOnlyRefusals(principal, [...change.set.keys(), ...change.unset]))
    const expected = new Map<SettingKey, RedactedSetting>()
    for (const [key, value] of Object.entries(body.expected)) {
      if (isSettingKey(key)) expected.set(key, value)
      else refusals.push({ key, message: 'There is no such setting.' })
    }
    const expectedChange: SettingsChange = { ...change, expected }
    try {
      const masterKey = () => app.masterKey()
      const changed = await changeSettings(app.db, masterKey, auditActor(call), expectedChange, (plain) => {
        const all = [...refusals, ...validationRefusals(app, plain, change)]
        if (all.length > 0) throw new ChangeRefused(all)
      })
      app.log.info({ settings: changed, by: auditActor(call).name }, 'settings were changed')
      // The others are told; here the next request counts on them.
      await app.applyStoredSettings()
      const keys = new Set<string>([...change.set.keys(), ...change.unset])
      const items = (await settingViews(app)).views.filter(({ key }) => keys.has(key))
      const pending = items.filter((item) => item.pending_restart).map(({ key }) => key)
      return { changed, pending_restart: pending, items }
    } catch (error) {
      if (error instanceof ChangeRefused) return refusedReply(error.refusals)
      if (error instanceof SettingsConflict) return conflictReply(error)
      throw error
    }
  },
})

export const checkSettingsRoute = route({
  method: 'POST',
  path: '/v1/admin/settings/check',
  summary: 'Check settings without changing them',
  tag: 'settings',
  access: admin('settings.write', { isInstallation: true }),
  bodyBytesMax: changeBytesMax,
  body: z.strictObject(changeRequestFields),
  answers: { 200: z.object({ ok: z.boolean(), refusals: z.array(Refusal) }) },
  async handle({ app, body, principal }) {
    const { change, refusals } = parseChange(body)
    refusals.push(...ownerOnlyRefusals(principal, [...change.set.keys(), ...change.unset]))
    const plain = await readPlainSettings(app.db, () => app.masterKey())
    refusals.push(...validationRefusals(app, plain, change))
    return { ok: refusals.length === 0, refusals }
  },
})

function refusedReply(refusals: readonly Refusal[]) {
  const message = refusals.map((refusal) => `${refusal.key}: ${refusal.message}`).join(' ')
  const envelope = errorEnvelope('invalid_request_error', 'settings_refused', message, refusals[0]?.key)
  return reply(400, { ...envelope, refusals })
}

function conflictReply(error: SettingsConflict) {
  const message = `Nothing was changed: ${error.message}.`
  const envelope = errorEnvelope('invalid_request_error', error.code, message, [...error.current.keys()][0])
  return reply(409, { ...envelope, current: Object.fromEntries(error.current) })
}
