/** The bearer credential out of the Authorization header. */

const bearer = /^bearer +([\x21-\x7e]{1,512}) *$/i

/** Undefined when there is none, or it is not of the Bearer scheme. */
export function bearerOf(authorization: string): string | undefined {
  // The common spelling, without a regular expression.
  if (authorization.startsWith('Bearer ') && authorization.length <= 519) {
    const token = authorization.slice(7)
    if (token !== '' && !token.includes(' ')) return token
  }
  return bearer.exec(authorization)?.[1]
}
