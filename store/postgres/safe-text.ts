/** Text that PostgreSQL accepts: no NUL, no lone surrogates. One bad character would fail a whole batch. */

export function safeText(text: string): string {
  const plain = text.includes('\0') ? text.replaceAll('\0', '') : text
  return plain.isWellFormed() ? plain : plain.toWellFormed()
}

/** JSON for a jsonb column, which accepts neither \u0000 nor lone surrogates, escaped or not. */
export function safeJson(value: unknown): string {
  const text = JSON.stringify(value)
  // JSON.stringify escapes only lone surrogates as \ud8xx. The look-behind leaves an escaped backslash ("\\u0000") alone.
  return text.includes('\\u') ? text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1') : text
}
