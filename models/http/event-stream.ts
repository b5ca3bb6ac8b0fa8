/** Takes a body's bytes apart into server-sent events, cut anywhere, and bounds them. */
import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser'
import { answerTooLarge } from './failures.ts'
import { eventCharactersMax, streamBytesMax } from './stream-limits.ts'

export class EventStream {
  bytesTotal = 0
  readonly #decoder = new StringDecoder('utf8')
  readonly #parser: EventSourceParser

  constructor(onEvent: (event: EventSourceMessage) => void) {
    this.#parser = createParser({
      onEvent,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded')
          throw answerTooLarge(`an event of more than ${eventCharactersMax} characters`)
      },
      maxBufferSize: eventCharactersMax,
    })
  }

  /** @throws ModelError `answer_too_large`, and what the listener throws */
  data(bytes: Buffer): void {
    const isFirst = this.bytesTotal === 0
    this.bytesTotal += bytes.length
    if (this.bytesTotal > streamBytesMax) throw answerTooLarge(`a stream of more than ${streamBytesMax} bytes`)
    const text = this.#decoder.write(bytes)
    this.#parser.feed(isFirst ? text.replace(/^\ufeff/, '') : text)
  }

  /** The last event may lack the empty line that ends it. */
  end(): void {
    this.#parser.feed(`${this.#decoder.end()}\n\n`)
  }
}
