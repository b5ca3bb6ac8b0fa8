/** A channel's share of the listener for webhooks where there is no listener. */
import type { ChannelWebhook } from '../../../../actors/channel/webhooks.ts'

export const noWebhook: ChannelWebhook = {
  publicUrl: undefined,
  path: '/chatapp/chan_of_the_test',
  madeSecret: 'a-secret-that-was-made-for-the-test',
  receive: () => Promise.reject(new Error('this test has no listener')),
}
