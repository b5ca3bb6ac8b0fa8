/** Reads the bearer credential from the Authorization header. */

const bearer = /^bearer +([\x21-\x7e]{1,512}) *$/i

/** Undefined when there is none, or it is not a single token of the Bearer scheme. */
export function bearerOf(authorization: string): string | undefined {
  return bearer.exec(authorization)?.[1]
}
