/** How Node.js runs the gateway. */

/**
 * Room for what is young: a batch of messages lives until its commit, and with the 16 MiB of the default the collector
 * copies it again and again (a quarter of the thread at 14,000 messages a second). The room is taken when it is needed.
 */
export const gatewayNodeOptions: readonly string[] = ['--max-semi-space-size=64']
