/** Arguments as text without hidden characters: invisible ones and those that change the reading direction are escaped. */

// Format characters, characters without a glyph, unusual spaces and line separators, DEL and C1 controls.
const hidden = /(?! )[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u007f-\u009f]/gu

/** JSON of the same value, with each hidden character escaped. */
export function visibleJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null'
  return text.replaceAll(hidden, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
