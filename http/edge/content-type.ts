/** Which types of bodies a route takes. */
import type { BodyKind } from '../body-kinds.ts'
import { ApiError } from '../error.ts'

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

/** Undefined when a body of this type is accepted. */
export function refuseContentType(
  contentType: string,
  { bodyKind = 'json', bodyTypes }: { bodyKind?: BodyKind; bodyTypes?: readonly string[] },
): ApiError | undefined {
  if (bodyKind === 'json') return refuseNoJsonType(contentType)
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const isTaken = bodyKind === 'form' ? formType.test(contentType) : (bodyTypes?.includes(type.trim()) ?? true)
  const taken = bodyKind === 'form' ? 'application/x-www-form-urlencoded' : (bodyTypes ?? []).join(' or ')
  if (isTaken) return undefined
  return new ApiError('unsupported_media_type', `This endpoint takes ${taken}; the request has ${typeIn(contentType)}.`)
}

function refuseNoJsonType(contentType: string): ApiError | undefined {
  if (contentType === 'application/json') return undefined
  const encoding = charset.exec(contentType)?.[1]?.toLowerCase()
  const isUtf8Text = encoding === undefined || encoding === 'utf-8' || encoding === 'utf8'
  if (jsonType.test(contentType) && isUtf8Text) return undefined
  return new ApiError(
    'unsupported_media_type',
    `This endpoint takes a JSON body in UTF-8 (Content-Type: application/json); the request has ${typeIn(contentType)}.`,
  )
}

const typeIn = (contentType: string): string =>
  contentType === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(contentType.slice(0, 100))}`
