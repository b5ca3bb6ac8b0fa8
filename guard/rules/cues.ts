/** Patterns which show that a text talks about attacks, or presents them as material to work on. */

/** The first three take weight off; obedience gives it back. */
export const cues = {
  /** Talks about attacks, in the same sentence. */
  discussion: [
    'ask 10 topic',
    'topic 10 ask',
    'topic 12 example|said',
    'example 6 topic',
    'what 12 mean',
    'ask 8 machine|helper 2 drop',
    'ask 8 topic|i|user 4 drop',
    'ask 6 drop -you|yours',
  ],
  /** Presents a text, to be translated or summarised for example: it follows the next colon. */
  presentation: ['present', 'what 14 mean', 'what 1 this 3 say', 'what 6 written', 'topic', 'test_case'],
  /** Reports what somebody said. */
  narration: ['said', 'example', 'ask 3 example'],
  /** Asks to carry out what is shown after all. */
  obedience: ['execute 2 obey', 'execute 3 written', 'do 2 obey', 'do 1 what 2 said'],
} as const satisfies Record<string, readonly string[]>

export type Cue = keyof typeof cues
