/** The judge of outgoing addresses as an owner would have it who allows receivers on this machine. */
import type { Settings } from '../../config/settings.ts'
import { type Outgoing, type OutgoingOptions, openOutgoing } from '../../runtime/network/outgoing.ts'

export const loopbackNetworks = '127.0.0.0/8,::1/128'

export function outgoingWith(
  { allow, isAirgapped = false }: { allow: readonly string[]; isAirgapped?: boolean },
  options: Omit<OutgoingOptions, 'settings'> = {},
): Outgoing {
  const values: Record<string, unknown> = { SERVICE_OUTGOING_ALLOWLIST: allow, SERVICE_AIRGAPPED: isAirgapped }
  return openOutgoing({ settings: { get: (key: string) => values[key] } as unknown as Settings, ...options })
}

export const toLoopback = outgoingWith({ allow: loopbackNetworks.split(',') })
