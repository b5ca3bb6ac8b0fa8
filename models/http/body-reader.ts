/** What reads the body of a good answer, as its bytes come. */

export interface BodyReader {
  /** False: stop reading from the socket until `resume`. @throws ModelError: the exchange ends with it */
  data(bytes: Buffer): boolean
  /** The body is over. @throws ModelError when the answer is not */
  end(): void
  /** True: the answer is complete, whatever the body still says. */
  readonly isComplete: boolean
}
