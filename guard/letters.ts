/** Letters that look like others: tables for reading a text as a person would see it. */

/** Latin letters and the Cyrillic and Greek ones that look like them; used only within words that mix scripts. */
const lookalikes: Readonly<Record<string, string>> = {
  a: 'аα',
  b: 'ьβв',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еєε',
  g: 'ԍ',
  h: 'һнη',
  i: 'іι',
  j: 'јϳ',
  k: 'кκ',
  l: 'ӏ',
  m: 'м',
  n: 'пν',
  o: 'оοσ',
  p: 'рρ',
  q: 'ԛ',
  r: 'гѓ',
  s: 'ѕ',
  t: 'тτ',
  u: 'υц',
  v: 'ѵ',
  w: 'ѡԝω',
  x: 'хχ',
  y: 'уүγ',
}

/** The Cyrillic letter that a Latin one stands for in a Cyrillic word. */
const latinAsCyrillic: Readonly<Record<string, string>> = {
  a: 'а',
  b: 'в',
  c: 'с',
  e: 'е',
  h: 'н',
  i: 'и',
  k: 'к',
  m: 'м',
  n: 'п',
  o: 'о',
  p: 'р',
  r: 'г',
  t: 'т',
  u: 'и',
  x: 'х',
  y: 'у',
}

const asLatin = new Map(Object.entries(lookalikes).flatMap(([latin, all]) => [...all].map((one) => [one, latin])))
const asCyrillic = new Map(Object.entries(latinAsCyrillic))

const touching = /[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]/
const word = /[a-z\u0370-\u052f]+/g

/**
 * A word of one script stays as it is: folding all Cyrillic letters would leave nothing of Russian. Where a mixed word
 * could be of either script, it is of that in which most of the text is written.
 */
export function withoutMixedScripts(text: string): string {
  if (!touching.test(text)) return text
  const isMostlyLatin = (text.match(/[a-z]/g)?.length ?? 0) >= (text.match(/[а-я]/g)?.length ?? 0)
  return text.replace(word, (mixed) => {
    if (!touching.test(mixed)) return mixed
    const latin = mapped(mixed, asLatin, isLatin)
    const cyrillic = mapped(mixed, asCyrillic, (letter) => !isLatin(letter))
    return (isMostlyLatin ? (latin ?? cyrillic) : (cyrillic ?? latin)) ?? mixed
  })
}

/** @returns undefined: a letter has no lookalike in the other script */
function mapped(mixed: string, table: ReadonlyMap<string, string>, isHome: (letter: string) => boolean) {
  let whole = ''
  for (const letter of mixed) {
    const other = isHome(letter) ? letter : table.get(letter)
    if (other === undefined) return undefined
    whole += other
  }
  return whole
}

const isLatin = (letter: string): boolean => letter >= 'a' && letter <= 'z'

/** Small capitals and similar letters, which no language uses in words. */
const ornamental: Readonly<Record<string, string>> = {
  ᴀ: 'a',
  ʙ: 'b',
  ᴄ: 'c',
  ᴅ: 'd',
  ᴇ: 'e',
  ꜰ: 'f',
  ɢ: 'g',
  ʜ: 'h',
  ɪ: 'i',
  ᴊ: 'j',
  ᴋ: 'k',
  ʟ: 'l',
  ᴍ: 'm',
  ɴ: 'n',
  ᴏ: 'o',
  ᴘ: 'p',
  ʀ: 'r',
  ꜱ: 's',
  ᴛ: 't',
  ᴜ: 'u',
  ᴠ: 'v',
  ᴡ: 'w',
  ʏ: 'y',
  ᴢ: 'z',
  ı: 'i',
  ɑ: 'a',
  ɡ: 'g',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  ё: 'е',
}

/**
 * The letter that each UTF-16 unit is read as; 0: it is left out. Latin letters lose their accents, й and ё keep them;
 * marks that composition leaves over are removed.
 */
export const normalizedLetters: Uint16Array = (() => {
  const table = Uint16Array.from({ length: 0x10000 }, (_, unit) => unit)
  const invisible = /\p{Cf}|\p{Mn}|\p{Me}|\u115f|\u1160|\u3164|\uffa0|\u2800/u
  for (let unit = 0; unit < table.length; unit++) {
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
    if (!isSurrogate && invisible.test(String.fromCharCode(unit))) table[unit] = 0
    const isAccented = (unit >= 0xc0 && unit < 0x250) || (unit >= 0x1e00 && unit < 0x1f00)
    if (isAccented) table[unit] = String.fromCharCode(unit).normalize('NFD').charCodeAt(0)
    // Control characters separate words, as blanks do.
    if ((unit < 0x20 && unit !== 0x0a) || unit === 0x7f) table[unit] = 0x20
  }
  for (const [letter, plain] of Object.entries(ornamental)) table[letter.charCodeAt(0)] = plain.charCodeAt(0)
  return table
})()
