/** Arguments as text without hidden characters: invisible ones and those that change the reading direction are escaped. */

// Format characters, characters without a glyph, unusual spaces and line separators, DEL and C1 controls.
const hidden = /(?! )[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u007f-\u009f]/gu
// Controls but tab and line end, which JSON escapes by itself.
const controls = /(?![\t\n])\p{Cc}/gu

const escaped = (characters: string): string =>
  [...Array(characters.length).keys()]
    .map((at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')

/** JSON of the same value, with each hidden character escaped. */
export function visibleJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? 'null').replaceAll(hidden, escaped)
}

/** A plain text, with each hidden character escaped. */
export const visibleText = (text: string): string => text.replaceAll(hidden, escaped).replaceAll(controls, escaped)
