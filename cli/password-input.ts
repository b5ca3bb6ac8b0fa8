/** Passwords for commands: asked for without echo, or read from standard input; never an argument, which others can see. */
import { passwordCharacters } from '../http/auth/passwords.ts'
import { CommandFailed } from './output.ts'

const inputBytesMax = 4_096

/** A terminal, as far as a hidden question needs one. */
export interface Terminal {
  setRawMode(isRaw: boolean): unknown
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', listener: (text: string) => void): unknown
  once(event: 'end', listener: () => void): unknown
  off(event: 'data' | 'end', listener: (text: string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** @throws CommandFailed for one that is too short, too long, or was not typed twice alike */
export async function readPassword(): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return checked(await firstLine(stdin))
  const say = (text: string) => process.stderr.write(text)
  const password = checked(await askHidden(stdin, say, 'Password: '))
  if ((await askHidden(stdin, say, 'Once more: ')) !== password) throw new CommandFailed('the two are not the same')
  return password
}

function checked(password: string): string {
  const { min, max } = passwordCharacters
  if (password.length < min || password.length > max)
    throw new CommandFailed(`a password has ${min} to ${max} characters`)
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

/** Asks, and shows nothing of what is typed. @throws CommandFailed when it is broken off */
export async function askHidden(terminal: Terminal, say: (text: string) => void, question: string): Promise<string> {
  say(question)
  terminal.setEncoding('utf8')
  terminal.setRawMode(true)
  let letters: string[] = []
  let onData = (_text: string): void => {}
  let onEnd = (): void => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      onEnd = () => reject(new CommandFailed('broken off'))
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
