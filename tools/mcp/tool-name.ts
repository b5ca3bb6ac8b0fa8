/** `<server>__<tool>`: names that are unique over all servers, and the same after every start, as approvals and agents name them. */
import { createHash } from 'node:crypto'

const nameLengthMax = 64
const labelLengthMax = 30
const digestLength = 8

/**
 * The server's half. It holds no `__` and ends in no `_`, so where it ends in a tool's name is never in doubt.
 * A name that has to be changed carries a digest of itself, lest two changed names become one.
 */
export function serverLabel(name: string): string {
  if (/^[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/.test(name) && name.length <= labelLengthMax) return name
  const clean = allowed(name).replace(/_+/g, '_').replace(/^_|_$/g, '')
  return withDigest(clean, name, labelLengthMax)
}

/** @param label as `serverLabel` made it */
export function toolName(label: string, tool: string): string {
  const plain = `${label}__${tool}`
  if (/^[a-zA-Z0-9_-]+$/.test(tool) && plain.length <= nameLengthMax) return plain
  return withDigest(`${label}__${allowed(tool)}`, tool, nameLengthMax)
}

function allowed(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_')
}

function withDigest(clean: string, original: string, lengthMax: number): string {
  const digest = createHash('sha256').update(original).digest('hex').slice(0, digestLength)
  return `${clean.slice(0, lengthMax - digestLength - 1)}-${digest}`
}
