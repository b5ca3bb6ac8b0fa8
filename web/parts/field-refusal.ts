/** Refusals that name a field, to be shown at it. What names none is left for the error panel of the form. */
import { ApiFailure } from '../api/call.ts'

interface FieldRefusals<Field extends string> {
  at: Partial<Record<Field, string>>
  /** Undefined: it is shown at a field. */
  rest: unknown
}

/**
 * @param params each field with the path of its value in the request, such as `prices[0].model`; what lies inside counts too
 * @param byCode codes that are about one field, with the page's own words
 */
export function fieldRefusals<Field extends string>(
  error: unknown,
  params: Readonly<Record<Field, string>>,
  byCode: Readonly<Record<string, readonly [field: Field, message: string]>> = {},
): FieldRefusals<Field> {
  if (!(error instanceof ApiFailure)) return { at: {}, rest: error }
  const [field, message] = byCode[error.code] ?? [fieldOf(error, params), withoutPath(error)]
  if (field === undefined) return { at: {}, rest: error }
  return { at: { [field]: message } as Partial<Record<Field, string>>, rest: undefined }
}

function fieldOf<Field extends string>(
  { status, param }: ApiFailure,
  params: Readonly<Record<Field, string>>,
): Field | undefined {
  if (param === null || status >= 500) return undefined
  const fields = Object.keys(params) as Field[]
  return fields.find((one) => param === params[one] || param.startsWith(`${params[one]}.`))
}

/** The field stands right there. */
const withoutPath = ({ message, param }: ApiFailure): string => message.replace(`${param}: `, '')
