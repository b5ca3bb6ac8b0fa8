/** The key ring on the database and the settings. */

import type { Settings } from '../../config/settings.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { findApiKeyByHash } from '../../store/api-keys/reads.ts'
import { recordKeyUses } from '../../store/api-keys/uses.ts'
import type { Changes } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import { defaultWorkspace } from '../../store/default-workspace.ts'
import { WorkspaceId } from '../../store/id.ts'
import type { GuessNodes } from './credential-guesses.ts'
import { type KeyRing, keyRing } from './key-ring.ts'
import { keyUses } from './key-uses.ts'

export function storedKeyRing(parts: {
  db: Database
  changes: Changes
  settings: Settings
  clock: Clock
  /** Where guesses are counted. Absent: there are no other nodes. */
  nodes?: GuessNodes | undefined
}): KeyRing {
  const { db, changes, settings, clock, nodes } = parts
  const uses = keyUses({ clock, write: (noted) => recordKeyUses(db, noted) })
  const ring = keyRing({
    ...{ clock, nodes },
    find: (hash) => findApiKeyByHash(db, hash),
    onChange: (fire) => changes.onChange('api_keys', fire),
    isListening: () => changes.isListening,
    compatKey: () => settings.get('SERVICE_COMPAT_KEY'),
    compatWorkspace: () => workspaceOf(settings),
    onUse: (id) => uses.note(id),
  })
  return {
    authenticate: (bearer, clientIp) => ring.authenticate(bearer, clientIp),
    currentPrincipal: (digest) => ring.currentPrincipal(digest),
    forget: () => ring.forget(),
    close() {
      ring.close()
      return uses.close()
    },
  }
}

function workspaceOf(settings: Settings): WorkspaceId {
  const named = settings.get('SERVICE_COMPAT_WORKSPACE')
  return named === '' ? defaultWorkspace({ settings }) : WorkspaceId.parse(named)
}
