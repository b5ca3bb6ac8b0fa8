/** The id of a request: the client's X-Request-Id when it is valid, else a new one. */
import { randomBytes } from 'node:crypto'

const valid = /^[A-Za-z0-9._-]{1,128}$/

// Random per process, counted within it: unique without new random bytes for each request.
const processPart = randomBytes(8).toString('hex')
let count = 0

export function requestIdFor(header: string): string {
  if (header !== '' && valid.test(header)) return header
  count++
  return `req_${processPart}${count.toString(36).padStart(6, '0')}`
}
