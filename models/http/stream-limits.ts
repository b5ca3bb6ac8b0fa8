/** How much of a streamed answer is read, whichever style it comes in. */

/** Of one event: tool arguments and encoded audio fit, a stream without line ends does not. */
export const eventCharactersMax = 1_048_576

/** Of one answer, framing included. */
export const streamBytesMax = 268_435_456

/** Of the answer's words, reasoning and arguments: some two million tokens. */
export const answerTextCharactersMax = 8_388_608
