/** When the oldest turn of a conversation may run again, by what ended its run. */
import { expect, test } from 'vitest'
import { runQueued } from '../../../actors/queue/run-queued.ts'
import { ActorCrashed, ActorStopped } from '../../../runtime/actor/errors.ts'
import { newConversationId } from '../../../store/id.ts'
import { recordingLog } from '../../support/recording-log.ts'

const endedBy = (error: Error) =>
  runQueued(
    {
      system: { actor: () => ({ ask: () => Promise.reject(error) }) } as never,
      channels: {} as never,
      log: recordingLog().log,
    },
    newConversationId(),
    'none',
  )

test('a run that ends with its actor, as the slot got another lease, goes on at once; one whose actor crashed rests', async () => {
  expect(await endedBy(new ActorStopped('conversations/a'))).toEqual({ status: 'retry', merged: 0, afterMs: 100 })
  const crashed = new ActorCrashed('conversations/a', new Error('a defect'))
  expect(await endedBy(crashed)).toEqual({ status: 'retry', merged: 0, afterMs: 2_000 })
})
