/** The kinds of callers: the one list of them, with what each of a kind does and never does, whatever its scopes. */

interface PrincipalKind {
  /** What it comes with. */
  by: string
  /** False: no admin route is open to it. */
  administers: boolean
  /** owner: conversations of its owner only. role: as its role says. ticket: the one of its ticket. */
  reaches: 'workspace' | 'owner' | 'role' | 'ticket'
}

export const principalKinds = {
  service: { by: 'a key that is nobody’s', administers: true, reaches: 'workspace' },
  personal: { by: 'an operator’s own key', administers: false, reaches: 'owner' },
  compat: { by: 'the key of SERVICE_COMPAT_KEY', administers: true, reaches: 'workspace' },
  ticket: { by: 'a ticket for a web chat', administers: false, reaches: 'ticket' },
  operator: { by: 'a session', administers: true, reaches: 'role' },
} as const satisfies Record<string, PrincipalKind>

export type PrincipalKindName = keyof typeof principalKinds

/** Names that are kept for parts to come, so that no two choose differently: no caller is of them yet. */
export const principalKindsToCome = {
  token: 'a JWT of the identity provider, or an access token of ours',
  scim: 'the provisioning token of a workspace: good for /scim/v2 alone',
  device: 'a paired device',
} as const
