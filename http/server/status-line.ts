/** Status lines in the library's form: number and phrase in one string. */
import { STATUS_CODES } from 'node:http'

const lines = new Map<number, string>()
for (const [status, phrase] of Object.entries(STATUS_CODES)) lines.set(Number(status), `${status} ${phrase}`)

export function statusLine(status: number): string {
  return lines.get(status) ?? `${status} Unknown`
}
