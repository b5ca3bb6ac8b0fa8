/** An adapter's configuration and secrets as the fields of a form: read from its schemas, with labels in both languages. */
import { z } from 'zod'

/** A text for people, in each language of the admin UI. */
export const Translated = z.object({ en: z.string().min(1), ru: z.string().min(1) })
export type Translated = z.infer<typeof Translated>

const Condition = z.object({ path: z.string(), is: z.union([z.string(), z.boolean()]) })
const Choice = z.object({ value: z.union([z.string(), z.boolean(), z.null()]), label: Translated })

/** What a schema cannot say of a field by itself. Put on the field with `.meta(inForm({ … }))`, behind everything else. */
export interface InForm {
  label: Translated
  help?: Translated
  placeholder?: string
  /** For an enum, and for an optional boolean that may be left out; the value null leaves it out. */
  choices?: readonly z.infer<typeof Choice>[]
  /** Shown only where another field has this value. */
  onlyIf?: z.infer<typeof Condition>
  /** Of a secret: the UI offers to make one. */
  isGenerated?: boolean
  /** Of an optional group of fields: whether the form of a new channel has it. */
  isOn?: boolean
}

/** An optional group that another field turns on is no field itself. */
export type GroupInForm = Required<Pick<InForm, 'onlyIf'>>

export const inForm = (form: InForm | GroupInForm): { form: InForm | GroupInForm } => ({ form })

export const FormField = z.object({
  path: z.string().describe('Where the value stands in the configuration, as in smtp.host.'),
  kind: z
    .enum(['text', 'number', 'switch', 'choice', 'group'])
    .describe('group: a switch; while it is off the whole object of that path is left out.'),
  label: Translated,
  help: Translated.nullable(),
  default: z
    .union([z.string(), z.number(), z.boolean()])
    .nullable()
    .describe('What counts when the field is left out; of a group, whether a new channel begins with it.'),
  is_required: z.boolean().describe('Needed where it is shown.'),
  placeholder: z.string().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  choices: z.array(Choice).nullable().describe('Of a choice. The value null: the field is left out.'),
  only_if: Condition.nullable().describe('Shown and sent only where the field of this path has this value.'),
})
export type FormField = z.infer<typeof FormField>

export const FormSecret = z.object({
  name: z.string(),
  label: Translated,
  help: Translated.nullable(),
  is_required: z.boolean(),
  is_generated: z.boolean().describe('The form offers to make one: whsec_ and 32 random bytes in base64.'),
  only_if: Condition.nullable(),
})
export type FormSecret = z.infer<typeof FormSecret>

/** The part of a JSON Schema that a form is made of. */
interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  form?: Partial<InForm>
}

/** @throws Error where a field has no label: a mistake in the adapter */
export function formFields(config: z.ZodType): FormField[] {
  return fieldsOf(jsonSchema(config), { prefix: '', onlyIf: null })
}

/** @throws Error where a secret has no label: a mistake in the adapter */
export function formSecrets(secrets: z.ZodType): FormSecret[] {
  const { properties = {}, required = [] } = jsonSchema(secrets)
  return Object.entries(properties).map(([name, { form }]) => ({
    name,
    label: labelOf(name, form),
    help: form?.help ?? null,
    is_required: required.includes(name),
    is_generated: form?.isGenerated ?? false,
    only_if: form?.onlyIf ?? null,
  }))
}

const jsonSchema = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema

function fieldsOf(
  { properties = {}, required = [] }: Schema,
  group: { prefix: string; onlyIf: FormField['only_if'] },
): FormField[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${group.prefix}${name}`
    const isRequired = required.includes(name)
    if (schema.type !== 'object') return [fieldOf(schema, { path, isRequired, onlyIf: group.onlyIf })]
    const isOptional = !isRequired && schema.default === undefined
    if (!isOptional) return fieldsOf(schema, { prefix: `${path}.`, onlyIf: group.onlyIf })
    const { onlyIf } = schema.form ?? {}
    if (onlyIf) return fieldsOf(schema, { prefix: `${path}.`, onlyIf })
    return [groupOf(schema, path), ...fieldsOf(schema, { prefix: `${path}.`, onlyIf: { path, is: true } })]
  })
}

function fieldOf(schema: Schema, at: { path: string; isRequired: boolean; onlyIf: FormField['only_if'] }): FormField {
  const { form } = schema
  return {
    path: at.path,
    kind: kindOf(schema),
    label: labelOf(at.path, form),
    help: form?.help ?? null,
    default: FormField.shape.default.parse(schema.default ?? null),
    is_required: at.isRequired,
    placeholder: form?.placeholder ?? null,
    min: schema.minimum ?? null,
    max: schema.maximum ?? null,
    choices: form?.choices ? [...form.choices] : null,
    only_if: form?.onlyIf ?? at.onlyIf,
  }
}

/** A group that may be left out, as the switch that says whether it is there. */
function groupOf({ form }: Schema, path: string): FormField {
  return {
    path,
    kind: 'group',
    label: labelOf(path, form),
    help: form?.help ?? null,
    default: form?.isOn ?? false,
    is_required: false,
    placeholder: null,
    min: null,
    max: null,
    choices: null,
    only_if: null,
  }
}

function kindOf({ type, form }: Schema): FormField['kind'] {
  if (form?.choices) return 'choice'
  if (type === 'boolean') return 'switch'
  return type === 'integer' || type === 'number' ? 'number' : 'text'
}

function labelOf(path: string, form: Partial<InForm> | undefined): Translated {
  if (!form?.label)
    throw new Error(`the field ${path} of a channel adapter has no label: add .meta(inForm({ label, … }))`)
  return form.label
}
