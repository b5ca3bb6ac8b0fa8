/** A part of the system prompt that others wrote, between tags that its text cannot close. */

const names = ['instructions', 'persona', 'application', 'memory'] as const
export type SectionName = (typeof names)[number]

/** With a bound on blanks, so that no text makes it slow. */
const tag = new RegExp(`<(?=\\s{0,8}/?\\s{0,8}(?:${names.join('|')})\\b)`, 'gi')

/** @returns null where there is nothing to say */
export function section(name: SectionName, text: string): string | null {
  const trimmed = text.trim()
  return trimmed === '' ? null : `<${name}>\n${trimmed.replace(tag, '&lt;')}\n</${name}>`
}
