/** What a channel's adapter is given, whichever node works for the channel. */
import type { Random } from '../../runtime/random.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Services } from '../services.ts'
import type { AdapterDependencies } from './adapter.ts'
import type { Channel } from './channels.ts'
import { takeFromAdapter } from './take.ts'

export function adapterDependencies(
  services: Services,
  channel: Channel,
  { clock, random }: { clock: Clock; random: Random },
): AdapterDependencies {
  return {
    ...{ clock, random },
    outgoing: services.outgoing,
    webhook: services.webhooks.of(channel.id),
    log: services.log.child({ channel: channel.name }),
    take: (message) => takeFromAdapter(services, channel, message),
  }
}
