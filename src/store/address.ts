/** Where the database is: a URL of an operator's own, or the socket of the built-in one. */

export interface DatabaseAddress {
  url?: string
  host?: string
  port?: number
  database?: string
  user?: string
  password?: string
}
