/** A value from standard input, which keeps a secret out of the shell's history. */
import { CommandFailed } from './output.ts'

/** All of it, without the newline at its end. @throws CommandFailed past `bytesMax` bytes */
export async function standardInput(bytesMax: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > bytesMax) throw new CommandFailed(`a value may have at most ${bytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
