/** Passwords for commands: prompted for without echo, or read from standard input. Arguments would be visible to others. */
import { passwordCharacters } from '../http/auth/passwords.ts'
import { CommandFailed } from './output.ts'

const inputBytesMax = 4_096

/** What a hidden prompt needs of a terminal. */
export interface Terminal {
  setRawMode(isRaw: boolean): unknown
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', listener: (text: string) => void): unknown
  once(event: 'end', listener: () => void): unknown
  off(event: 'data' | 'end', listener: (text: string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** @throws CommandFailed for a password that is too short or too long, or where the second input differs */
export async function readPassword(): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return validPassword(await firstLine(stdin))
  const say = (text: string) => process.stderr.write(text)
  const password = validPassword(await askHidden(stdin, say, 'Password: '))
  if ((await askHidden(stdin, say, 'Repeat: ')) !== password) throw new CommandFailed('the two passwords differ')
  return password
}

function validPassword(password: string): string {
  const { min, max } = passwordCharacters
  if (password.length < min || password.length > max)
    throw new CommandFailed(`a password must have ${min} to ${max} characters`)
  return password
}

async function firstLine(input: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of input) {
    bytes += part.length
    if (bytes > inputBytesMax) throw new CommandFailed(`standard input holds more than ${inputBytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8').split(/\r?\n/, 1)[0] ?? ''
}

/** Reads a line that is not shown while it is typed. @throws CommandFailed when it is cancelled */
export async function askHidden(terminal: Terminal, say: (text: string) => void, question: string): Promise<string> {
  say(question)
  terminal.setEncoding('utf8')
  terminal.setRawMode(true)
  let letters: string[] = []
  let onData = (_text: string): void => {}
  let onEnd = (): void => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      onEnd = () => reject(new CommandFailed('cancelled'))
      onData = (text) => {
        for (const letter of text) {
          if (letter === '\r' || letter === '\n') return resolve(letters.join(''))
          if (letter === '\u0003' || letter === '\u0004') return onEnd()
          if (letter === '\u007f' || letter === '\b') letters.pop()
          else if (letter === '\u0015') letters = []
          else if (letters.length < inputBytesMax) letters.push(letter)
        }
      }
      terminal.on('data', onData)
      terminal.once('end', onEnd)
      terminal.resume()
    })
  } finally {
    terminal.off('data', onData)
    terminal.off('end', onEnd)
    terminal.setRawMode(false)
    terminal.pause()
    say('\n')
  }
}
