/** The scopes that a key can have: the one list of them. What each opens stands in docs/api.md. */

export const scopes = ['chat', 'admin:read', 'admin:write', 'operators:write', 'mcp', 'a2a', '*'] as const
export type Scope = (typeof scopes)[number]

/** A personal key has these at most: people administer by their role. */
export const personalScopes: readonly Scope[] = ['chat', 'mcp', 'a2a']
