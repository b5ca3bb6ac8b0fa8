/** The id of a workspace as a setting has it. `store/id.ts` has the type, and this room imports no other. */

export const workspaceId = /^ws_[0-9a-f]{32}$/
export const workspaceIdAllowed = 'ws_ and 32 hexadecimal digits'
