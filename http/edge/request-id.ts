/** The name of one request: the client's own when it is a sane one, else a fresh one. */
import { randomBytes } from 'node:crypto'

const sane = /^[A-Za-z0-9._-]{1,128}$/

// Unguessable per process, counted within it: unique without asking the system for randomness at every request.
const processPart = randomBytes(8).toString('hex')
let count = 0

export function requestIdFor(given: string): string {
  if (given !== '' && sane.test(given)) return given
  count++
  return `req_${processPart}${count.toString(36).padStart(6, '0')}`
}
