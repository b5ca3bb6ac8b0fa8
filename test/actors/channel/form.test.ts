/** The form of each adapter, as the admin UI gets it: read from the schemas that check what is sent. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { adapters } from '../../../actors/channel/adapters.ts'
import { formFields, formSecrets, inForm } from '../../../actors/channel/form.ts'

const label = { en: 'Label', ru: 'Подпись' }

test('every field and secret of every adapter has a label in both languages', () => {
  for (const { config, secrets, title } of adapters.values()) {
    const all = [...formFields(config), ...formSecrets(secrets), { label: title }]
    for (const field of all)
      expect(field.label).toEqual({ en: expect.stringMatching(/./), ru: expect.stringMatching(/[а-яё]/i) })
  }
})

test('a field says its kind, its default, its bounds and whether it is required', () => {
  const config = z.strictObject({
    host: z.string().meta(inForm({ label, placeholder: 'example.com' })),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .default(25)
      .meta(inForm({ label, help: label })),
    secure: z.boolean().default(true).meta(inForm({ label })),
  })
  expect(formFields(config)).toMatchObject([
    { path: 'host', kind: 'text', is_required: true, default: null, placeholder: 'example.com', help: null },
    { path: 'port', kind: 'number', is_required: false, default: 25, min: 1, max: 65_535, help: label },
    { path: 'secure', kind: 'switch', is_required: false, default: true, only_if: null },
  ])
})

test('an optional object is a switch in front of its fields, unless another field turns it on', () => {
  const inner = z.strictObject({ host: z.string().meta(inForm({ label })) })
  const byMode = { path: 'mode', is: 'b' }
  const config = z.strictObject({
    always: inner.prefault({ host: 'x' }),
    group: inner.optional().meta(inForm({ label, isOn: true })),
    other: inner.optional().meta(inForm({ onlyIf: byMode })),
  })
  expect(formFields(config)).toMatchObject([
    { path: 'always.host', only_if: null },
    { path: 'group', kind: 'group', default: true, only_if: null },
    { path: 'group.host', is_required: true, only_if: { path: 'group', is: true } },
    { path: 'other.host', is_required: true, only_if: byMode },
  ])
})

test('conditions of fields name fields that are there', () => {
  for (const { config, secrets } of adapters.values()) {
    const fields = formFields(config)
    const paths = fields.map(({ path }) => path)
    for (const { only_if } of [...fields, ...formSecrets(secrets)]) if (only_if) expect(paths).toContain(only_if.path)
  }
})

test('a field without a label is refused by name', () => {
  expect(() => formFields(z.object({ url: z.string() }))).toThrow('the field url')
})
