/** What a channel keeps in memory: its transport and what is under way. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { Timer } from '../../runtime/time/clock.ts'
import type { ChannelId } from '../../store/id.ts'
import { type Breaker, breaker } from '../outbox/breaker.ts'
import { type Pace, pace } from '../outbox/pace.ts'
import type { Services } from '../services.ts'
import type { ChannelTransport } from './adapter.ts'

export interface ChannelState {
  transport: ChannelTransport | undefined
  /** Nothing is sent, and nothing of an earlier start is resumed, before the transport is connected. */
  isConnected: boolean
  hasRecovered: boolean
  /** Counts connections: news of an earlier one is not about this one. */
  connection: number
  sending: number
  breaker: Breaker
  pace: Pace
  /** For the next delivery that becomes due. */
  timer: Timer | undefined
}

export type ChannelContext = ActorContext<ChannelId, ChannelState, Services>

export function newChannelState(context: Pick<ChannelContext, 'clock'>): ChannelState {
  return {
    transport: undefined,
    isConnected: false,
    hasRecovered: false,
    connection: 0,
    sending: 0,
    breaker: breaker(context.clock),
    pace: pace(context.clock),
    timer: undefined,
  }
}
