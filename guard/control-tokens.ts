/** The tokens that separate roles in chat templates. In other texts they are broken up, so that no template reads them. */

/** No template has a longer name. */
const nameCharactersMax = 40
/** The longest of them, with its brackets. */
const controlTokenCharactersMax = nameCharactersMax + 6

const kinds = [
  // <|im_start|>, <|start_header_id|>, and the wide bars of others.
  `<[|｜][a-z0-9_ ▁-]{1,${nameCharactersMax}}[|｜]>`,
  '\\[/?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)\\]',
  '<</?SYS>>',
  '</?(?:start_of_turn|end_of_turn|bos|eos|tool_call|tool_response|function_calls|system)>',
]

/** Every repetition is bounded and begins with a bracket: linear time. */
const token = new RegExp(kinds.join('|'), 'gi')

/** The beginning of a token that the next piece of a stream may complete. */
const begun = new RegExp(
  `(?:<[|｜]?[a-z0-9_ ▁-]{0,${nameCharactersMax}}[|｜]?|<</?S?Y?S?>?|</?[a-z_]{0,16}|\\[/?[a-z_]{0,16})$`,
  'i',
)

/** Adds a blank after the bracket: a person reads the same, a template does not. */
export function withoutControlTokens(text: string): string {
  return text.replace(token, (whole) => `${whole[0]} ${whole.slice(1)}`)
}

/** @returns how many characters at the end may be the beginning of a token; at most `controlTokenCharactersMax` */
export function partialTokenLength(text: string): number {
  const tail = text.slice(-controlTokenCharactersMax)
  const at = tail.search(begun)
  return at < 0 ? 0 : tail.length - at
}
