/** Describes to the model which hosts a tool may call, so that it does not try others. */
import type { Allowlist } from '../../runtime/network/allowlist.ts'

const namedMax = 20

export function describeHosts(allow: Allowlist, isAirgapped: boolean): string {
  const named = allow.entries.filter((entry) => !allow.unreadable.includes(entry))
  if (named.length === 0 && (isAirgapped || !allow.isEmpty)) return 'No host is allowed at present.'
  if (named.length === 0) return 'Hosts of the public internet only.'
  const more = named.length > namedMax ? ` and ${named.length - namedMax} more` : ''
  return `Only these hosts: ${named.slice(0, namedMax).join(', ')}${more}.`
}
