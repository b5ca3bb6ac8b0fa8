/** How a workspace is named in a setting. The store has the type; no room above this one may be asked. */

export const workspaceId = /^ws_[0-9a-f]{32}$/
export const workspaceIdAllowed = 'ws_ and 32 hexadecimal digits'
