/** Addresses as they may be shown: some operators write a password, a token or a key into one. */

/** `user:password@` or `token@` of whatever addresses stand in the text; an address's host begins behind its last @. */
const credentials = /:\/\/([^\s/?#:@]*)(:?)[^\s/?#]*@/g
const secretInQuery = /([?&][^\s=&#]*(?:key|token|secret|sig|pass|auth)[^\s=&#]*=)[^\s&#]+/gi

export function withoutPassword(text: string): string {
  if (!text.includes('://')) return text
  return text
    .replace(credentials, (_, user: string, colon: string) => `://${colon === '' ? '' : `${user}:`}(hidden)@`)
    .replace(secretInQuery, '$1(hidden)')
}
