/** Words by which a text shows that it talks about attacks, or hands them over as a text. */

/** What takes weight off, and what gives it back. */
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
  /** Hands a text over, to do something with it as a text: what stands behind the next colon is that text. */
  presentation: ['present', 'what 14 mean', 'what 1 this 3 say', 'what 6 written', 'topic', 'test_case'],
  /** Tells what somebody said. */
  narration: ['said', 'example', 'ask 3 example'],
  /** What is shown shall be done after all. */
  obedience: ['execute 2 obey', 'execute 3 written', 'do 2 obey', 'do 1 what 2 said'],
} as const satisfies Record<string, readonly string[]>

export type Cue = keyof typeof cues
