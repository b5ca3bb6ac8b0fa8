/** How much of a streamed answer is read, whichever style it comes in. */

/** Of one event: tool arguments and encoded audio fit, a stream without line ends does not. */
export const eventCharactersMax = 1_048_576

/** Of one answer, framing included. */
export const streamBytesMax = 268_435_456

/** Of the answer's text, as much as usage is estimated from where the endpoint sends none. */
export const answerTextCharactersMax = 4_194_304
