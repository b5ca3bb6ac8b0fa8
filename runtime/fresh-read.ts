/** A read of what changes, for whoever needs it as it is now: one at a time, and all who ask meanwhile share the next. */

/** @returns resolves when a read has ended that began after the call. @throws what that read throws */
export function freshRead(read: () => Promise<void>): () => Promise<void> {
  let reading: Promise<void> | undefined
  let following: Promise<void> | undefined

  return function again(): Promise<void> {
    if (!reading) {
      reading = read().finally(() => {
        reading = undefined
      })
      return reading
    }
    // The read under way may have missed the caller's change.
    following ??= reading
      .catch(() => undefined) // thrown to whoever asked for that read
      .then(() => {
        following = undefined
        return again()
      })
    return following
  }
}
