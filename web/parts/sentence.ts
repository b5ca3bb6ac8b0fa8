/** What the service says in lower case and without a full stop, since it stands behind other words in a log, as a sentence. */
export function sentence(words: string): string {
  const begun = words.charAt(0).toLocaleUpperCase() + words.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
