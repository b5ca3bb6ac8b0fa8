/** Counts the outcomes of the messages of each channel since the start. */
import type { ChannelId } from '../../store/id.ts'

export interface IntakeCounts {
  accepted: number
  duplicates: number
  ignored: number
  conflicts: number
  /** Nothing was stored, and the sender was asked to retry. */
  refused: number
}

export interface IntakeCounters {
  of(channel: ChannelId): IntakeCounts
}

export function intakeCounters(): IntakeCounters {
  const byChannel = new Map<ChannelId, IntakeCounts>()
  return {
    of(channel) {
      let counts = byChannel.get(channel)
      if (!counts) {
        counts = { accepted: 0, duplicates: 0, ignored: 0, conflicts: 0, refused: 0 }
        byChannel.set(channel, counts)
      }
      return counts
    },
  }
}
