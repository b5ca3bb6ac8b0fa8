/** Lines out of the pieces of a pipe, none longer than allowed, joined once however many pieces they came in. */
import { McpConnectionFailed } from './connection-failed.ts'

export interface LineSplitter {
  /** @throws McpProblem `message_too_large`, as soon as that is certain */
  push(piece: Buffer): string[]
}

const newline = 0x0a

export function lineSplitter(lineBytesMax: number): LineSplitter {
  let waiting: Buffer[] = []
  let waitingBytes = 0

  function append(piece: Buffer): void {
    waitingBytes += piece.length
    if (waitingBytes > lineBytesMax)
      throw new McpConnectionFailed('message_too_large', `it sent a message of more than ${lineBytesMax} bytes`)
    if (piece.length > 0) waiting.push(piece)
  }

  return {
    push(piece) {
      const lines: string[] = []
      let from = 0
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
        append(piece.subarray(from, at))
        lines.push(Buffer.concat(waiting).toString('utf8'))
        waiting = []
        waitingBytes = 0
        from = at + 1
      }
      append(piece.subarray(from))
      return lines
    },
  }
}
