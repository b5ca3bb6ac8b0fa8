/** How a surface whose clients expect another form than our envelope answers its failures: RFC 7644, RFC 6749, a page. */
import type { ErrorEnvelope } from './error.ts'
import type { RequestHead } from './server/request-head.ts'

export interface FailureShown {
  status: number
  envelope: ErrorEnvelope
  /** Of the request, such as what it accepts. */
  head: RequestHead
}

/** Status and headers stay those of the failure. */
export type ErrorFace = (failure: FailureShown) => { contentType: string; body: string }

/** Everything below a path, also where no route was found. A route's own face wins. */
export interface FaceOfPrefix {
  /** Such as `/scim/v2`. */
  readonly prefix: string
  readonly face: ErrorFace
}

export function faceOf(path: string, faces: readonly FaceOfPrefix[]): ErrorFace | undefined {
  for (const { prefix, face } of faces) {
    if (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')) return face
  }
  return undefined
}
