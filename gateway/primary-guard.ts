/** A process that has seen a promotion does not go back to a server that knows nothing of it, as an old primary that is started again. */
import { DatabaseDown } from '../store/errors.ts'
import type { Primary } from '../store/nodes/primary.ts'
import type { Servers } from '../store/postgres/address.ts'

export class OldPrimary extends DatabaseDown {
  constructor({ timeline }: Primary, newest: number) {
    super(`the server is an old primary of timeline ${timeline}, and timeline ${newest} was seen: stop it`)
  }
}

export interface PrimaryGuard {
  /** @throws OldPrimary */
  require(primary: Primary): void
}

export function primaryGuard(servers: Servers | undefined): PrimaryGuard {
  let newest: Primary | undefined
  return {
    require(primary) {
      if (primary.timeline === 0) return // the server does not tell
      const isSame = newest?.cluster === primary.cluster
      if (newest && isSame && primary.timeline < newest.timeline) throw new OldPrimary(primary, newest.timeline)
      if (isSame && newest?.timeline === primary.timeline) return
      newest = primary
      servers?.notePromotion(primary)
    },
  }
}
