/** The bounds of external MCP servers: strangers' programs, so whatever they can grow is held here. */

export const mcpLimits = {
  serversMax: 32,
  /** From the start of the process, or the first request, to the end of the handshake. Package runners download first. */
  connectMs: 60_000,
  listMs: 30_000,
  callMs: 60_000,
  /** Of one server, at the same time. */
  callsMax: 32,
  argumentBytesMax: 1_048_576,
  /** One message of a server, decompressed. Pictures come inline. */
  messageBytesMax: 8_388_608,
  /**
   * More than this within a window is a flood, and a flood ends the connection. The SDK takes up to 0.3 ms of the main
   * thread for a message, and one read of a pipe or a socket can bring a thousand.
   */
  flow: { windowMs: 10_000, bytesMax: 67_108_864, messagesMax: 1_000 },
  /** Lines on standard output that are no messages: a banner is forgiven, a log is not. */
  strayLinesMax: 100,
  /** What a process has not read of its standard input yet. */
  unreadBytesMax: 8_388_608,
  /** Requests to one HTTP server at the same time; answers to its own requests count. */
  requestsMax: 128,
  /** Between two streams that an HTTP server is asked to send its notices on. */
  streamIntervalMs: 1_000,
  toolsMax: 200,
  /** Of a list, looked at one by one whether they can be offered or not: each takes some microseconds of the main thread. */
  listEntriesMax: 1_000,
  listPagesMax: 50,
  schemaBytesMax: 32_768,
  schemaDepthMax: 32,
  descriptionLengthMax: 4_096,
  /** What the model is told of one result. */
  resultLengthMax: 200_000,
  /** From a notice that the list of tools changed to asking for it; further notices meanwhile are the same one. */
  refreshDelayMs: 500,
  /** Each of: after closing standard input, after SIGTERM, for the DELETE of a session. */
  closeGraceMs: 2_000,
  retryMinMs: 1_000,
  retryMaxMs: 60_000,
  /** A connection that held this long was a good one: after it the pauses begin small again. */
  stableMs: 60_000,
}
export type McpLimits = typeof mcpLimits
