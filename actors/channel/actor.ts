/** A channel: its connection to the outside, and the outbox of its answers. One for each channel that is on. */
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import { ChannelId } from '../../store/id.ts'
import { defineActor } from '../services.ts'
import { open } from './connection.ts'
import { attemptEnded, pumpChannel } from './outbox.ts'
import { type ChannelState, newChannelState } from './state.ts'

export const channel = defineActor({
  kind: 'channel',
  key: ChannelId,
  placement: 'slot',
  mailbox: { capacity: 4_096 },
  supervision: { restarts: 20, withinMs: minutes(1), backoff: exponential(ms(100), seconds(10)) },
  start(context): ChannelState {
    return newChannelState(context)
  },
  async stop({ state }) {
    state.timer?.cancel()
    await state.transport?.close()
  },
  receive: {
    /** Opens or reopens the channel as it is configured now; closes one that is off. */
    open: (context, _message: object) => open(context),
    /** Deliveries may be due. */
    async deliver(context, _message: object) {
      context.services.channels.woken(context.key)
      // After a crash the state is new, and nothing is open.
      if (!context.state.transport) await open(context)
      await pumpChannel(context)
    },
    /** Shows the sender that an answer is being made. Best effort: a failure is ignored. */
    typing({ state }, { externalId, replyTo }: { externalId: string; replyTo: unknown }): void {
      if (state.isConnected) state.transport?.typing?.(externalId, replyTo).catch(() => undefined)
    },
    /** An attempt has ended. */
    tried: (context, _result: undefined) => attemptEnded(context),
  },
})
