/** How Node.js runs the gateway. */

/**
 * More memory for young objects: a batch of messages lives until its commit, and with the default of 16 MiB the garbage
 * collector copies it again and again (a quarter of the thread at 14,000 messages a second). It is taken only when needed.
 */
export const gatewayNodeOptions: readonly string[] = ['--max-semi-space-size=64']
