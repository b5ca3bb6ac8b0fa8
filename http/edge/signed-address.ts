/** Lets in whoever has an address that the service signed: nobody is known by it, and it is good for one thing. */
import type { App } from '../app.ts'
import { ApiError } from '../error.ts'
import type { SignedUse } from '../media/signed-urls.ts'

export { isSigned } from '../media/signed-urls.ts'

/** Undefined: the address is good. Also where the feature is off, which the route says itself. */
export function signatureRefusal(
  { media }: App,
  use: SignedUse,
  params: Readonly<Record<string, string>> | undefined,
  query: string,
): ApiError | undefined {
  const state = media?.urls.check(use, params?.['id'] ?? '', query) ?? 'valid'
  if (state === 'valid') return undefined
  return state === 'expired'
    ? new ApiError('signature_expired', 'This address has expired. Ask for a new one.')
    : new ApiError('signature_invalid', 'The signature of this address is wrong.')
}
