/**
 * Kinds of notices between the processes of one database: the one list. Each says what a process drops or reads again at such
 * a notice, as docs/scale.md shows it.
 */

const unused = 'nothing yet: the name is kept for'

export const changeKinds = {
  settings: 'live settings are read again',
  api_keys: 'cached keys are dropped; open streams and sockets are checked again, those of tickets too',
  sessions:
    'cached sessions are dropped, and the setup code once there is an operator; open streams and sockets are checked again',
  channels: 'channels are read again, changed ones start anew; the queue looks for waiting turns',
  agents: 'agents, and the tools that workspaces may use, are read again',
  secrets: 'model endpoints are read again, with their keys; other uses read secrets from the database each time',
  models: 'model endpoints are read again',
  prices: 'prices of models and budgets are read again',
  federation: `${unused} sign-in by other services`,
  modules: `${unused} modules`,
  devices: `${unused} paired devices`,
} as const

export type ChangeKind = keyof typeof changeKinds
