/** The slot of an actor's key: all nodes of an installation compute the same. */

/** As many as the table `slots` has rows. */
export const slotCount = 256

/** An identifier's slot is its last byte, which is random and which a statement computes too (`service_slot`); a name's is a hash. */
export function slotOf(key: string): number {
  const digits = key.length > 32 && key.charCodeAt(key.length - 33) === underscore ? key.slice(-2) : ''
  return digits === '' ? hashOf(key) : Number.parseInt(digits, 16)
}

const underscore = 0x5f

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (slotCount - 1)
}
