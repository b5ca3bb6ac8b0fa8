/** A channel's configuration as the values of a form, and back: drawn from the fields that its adapter declares. */
import type { ChannelAdapter } from '../../api/types.ts'

export type Field = ChannelAdapter['fields'][number]
export type Secret = ChannelAdapter['secrets'][number]
type Choice = NonNullable<Field['choices']>[number]

/** By the path of the field; a choice is stored as its text. */
export type Draft = Readonly<Record<string, string | boolean>>

export function isShown({ only_if: condition }: Pick<Field, 'only_if'>, draft: Draft): boolean {
  return condition === null || `${draft[condition.path]}` === `${condition.is}`
}

/** A select has text values; empty: the field is left out. */
export const choiceText = (value: Choice['value']): string => (value === null ? '' : `${value}`)

/** @param config as the API shows it; undefined for a new channel */
export function draftOf(fields: readonly Field[], config: Record<string, unknown> | undefined): Draft {
  return Object.fromEntries(
    fields.map((field) => {
      const value = config && valueAt(config, field.path)
      if (field.kind === 'group') return [field.path, config ? value !== undefined : field.default === true]
      if (field.kind === 'switch') return [field.path, (value ?? field.default) === true]
      return [field.path, `${value ?? field.default ?? ''}`]
    }),
  )
}

/** Blank fields are left out: the service knows its own defaults. */
export function configOf(fields: readonly Field[], draft: Draft): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const field of fields) {
    const value = draft[field.path]
    if (value === undefined || value === '' || !isShown(field, draft)) continue
    if (field.kind !== 'group') setAt(config, field.path, configValue(field, value))
    else if (value === true) setAt(config, field.path, {})
  }
  return config
}

function configValue({ kind, choices }: Field, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value
  if (kind === 'number') return Number(value)
  if (kind === 'choice') return choices?.find((choice) => choiceText(choice.value) === value)?.value ?? value
  return value.trim()
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function valueAt(config: Record<string, unknown>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), config)
}

function setAt(config: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    config[name] = value
    return
  }
  const part = config[name]
  const object = isRecord(part) ? part : {}
  config[name] = object
  setAt(object, rest.join('.'), value)
}
