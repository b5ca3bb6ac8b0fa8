/**
 * A signal for one request. The SDK never stops listening to a request's signal, even after the answer: when the connection
 * ends it would send a cancellation for every past request, with our reason in it.
 */
export async function withRequestSignal<Result>(
  signals: AbortSignal[],
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController()
  const stop = () => own.abort('the caller cancelled')
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
