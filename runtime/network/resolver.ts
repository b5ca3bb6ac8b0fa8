/** The system's name resolution, few lookups at once: each occupies one of the four threads that files and hashes need too. */
import { lookup } from 'node:dns/promises'
import { places } from '../time/places.ts'
import { OutgoingRefused, type Resolve } from './judge.ts'

const lookupsMax = 2
const waitingMax = 64

/**
 * One for the whole service, since its threads are shared. A slow lookup cannot be cancelled and keeps its place until
 * it ends, even if its caller has gone. A lookup that has not begun leaves the line with its caller: names that no
 * server answers for would fill it for minutes otherwise.
 */
export function createResolver(): Resolve {
  const refusal = () => new OutgoingRefused('busy', 'Too many names are being looked up; try again later.')
  const line = places({ placesMax: lookupsMax, waitingMax, refusal })
  return async (host, signal) => {
    const giveBack = await line.take(signal)
    try {
      return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
    } finally {
      giveBack()
    }
  }
}
