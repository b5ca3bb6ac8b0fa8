/** Limits for external MCP servers: they are untrusted programs, so everything that they can grow is limited. */

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
  /** Lines on standard output that are not messages: a banner is tolerated, a log is not. */
  strayLinesMax: 100,
  /** What a process may leave unread of its standard input. */
  unreadBytesMax: 8_388_608,
  /** Requests to one HTTP server at the same time; answers to its own requests count. */
  requestsMax: 128,
  /** Between two requests for the stream on which an HTTP server sends notifications. */
  streamIntervalMs: 1_000,
  toolsMax: 200,
  /** Of a list; each is checked whether it can be offered, which takes some microseconds of the main thread. */
  listEntriesMax: 1_000,
  listPagesMax: 50,
  schemaBytesMax: 32_768,
  schemaDepthMax: 32,
  descriptionLengthMax: 4_096,
  /** Characters of one result that the model gets. */
  resultLengthMax: 200_000,
  /** From a notice that the list of tools changed to asking for it; further notifications in between count as one. */
  refreshDelayMs: 500,
  /** Each of: after closing standard input, after SIGTERM, for the DELETE of a session. */
  closeGraceMs: 2_000,
  retryMinMs: 1_000,
  retryMaxMs: 60_000,
  /** After a connection that lasted this long, the pauses begin small again. */
  stableMs: 60_000,
}
export type McpLimits = typeof mcpLimits
