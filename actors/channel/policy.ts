/** What every channel has, whatever its adapter: how much of it runs at once, and how long deliveries are retried. */
import { z } from 'zod'

export const ChannelPolicy = z.strictObject({
  agent: z.string().min(1).max(64).default('default').describe('The agent that answers.'),
  turns_max: z.int().min(1).max(10_000).default(64).describe('Turns that run at once.'),
  backlog_max: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Turns that may wait; one more message is answered 429.'),
  answers: z
    .enum(['each', 'together'])
    .default('each')
    .describe('Messages that arrive while a turn runs: answered one by one, or all by the next turn.'),
  attempts_max: z.int().min(1).max(100).default(12).describe('Attempts of one delivery.'),
  age_max_s: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(86_400)
    .describe('Seconds after which an answer is not sent any more.'),
  deliveries_max: z.int().min(1).max(1_000).default(16).describe('Deliveries under way at once.'),
  rate_per_s: z.number().positive().max(10_000).default(100).describe('Deliveries a second.'),
  send_timeout_s: z.int().min(1).max(300).default(15).describe('Seconds for one attempt.'),
})
export type ChannelPolicy = z.infer<typeof ChannelPolicy>
