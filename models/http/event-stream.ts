/** Takes the bytes of a body apart into server-sent events, wherever they are cut, and bounds both. */
import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser'
import { answerTooLarge } from './failures.ts'
import { eventCharactersMax, streamBytesMax } from './stream-limits.ts'

export class EventStream {
  bytesTotal = 0
  readonly #decoder = new StringDecoder('utf8')
  readonly #parser: EventSourceParser
  #hasText = false

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

  /** The text of the bytes, without a byte order mark. A character that is cut comes with the next bytes. @throws ModelError `answer_too_large` */
  text(bytes: Buffer): string {
    this.bytesTotal += bytes.length
    if (this.bytesTotal > streamBytesMax) throw answerTooLarge(`a stream of more than ${streamBytesMax} bytes`)
    const text = this.#decoder.write(bytes)
    if (this.#hasText || text === '') return text
    this.#hasText = true
    return text.replace(/^\ufeff/, '')
  }

  /** @throws ModelError `answer_too_large`, and what the listener throws */
  feed(text: string): void {
    this.#parser.feed(text)
  }

  /** The last event may lack the empty line that ends it. */
  end(): void {
    this.#parser.feed(`${this.#decoder.end()}\n\n`)
  }
}
