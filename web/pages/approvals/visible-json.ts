/** Arguments as text that shows everything: what cannot be seen, or turns the reading direction round, is written out. */

// Format characters, whatever has no shape of its own, spaces and line ends that are not the plain ones, upper controls.
const hidden = /(?! )[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u007f-\u009f]/gu

/** JSON that means the same as the value, with each hidden character as its escape. */
export function visibleJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null'
  return text.replaceAll(hidden, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
