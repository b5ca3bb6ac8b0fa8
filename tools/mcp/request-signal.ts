/**
 * A signal for one request. The SDK listens to the signal of a request for ever, also when the request is long answered: it
 * would send a cancellation for each of them when the connection ends, and tell the server our reason.
 */
export async function withRequestSignal<Result>(
  signals: AbortSignal[],
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController()
  const stop = () => own.abort('the caller gave up')
  for (const signal of signals) {
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  }
  try {
    return await request(own.signal)
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
}
