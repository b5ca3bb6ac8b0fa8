/** Asking for a password on a terminal: nothing of it is shown, and the terminal is left as it was. */
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { askHidden } from '../../cli/password-input.ts'

function terminal() {
  const modes: boolean[] = []
  const events = new EventEmitter()
  const parts = { setRawMode: (isRaw: boolean) => modes.push(isRaw), setEncoding() {}, resume() {}, pause() {} }
  return { modes, input: Object.assign(events, parts) }
}

async function typed(...pieces: string[]): Promise<{ answer: string; said: string; modes: boolean[]; left: number }> {
  const { modes, input } = terminal()
  let output = ''
  const answer = askHidden(
    input,
    (text) => {
      output += text
    },
    'Password: ',
  )
  for (const piece of pieces) input.emit('data', piece)
  return { answer: await answer, said: output, modes, left: input.listenerCount('data') + input.listenerCount('end') }
}

test('typed text is not shown, and the terminal gets its echo back', async () => {
  const result = await typed('pass', 'wörd 🐎\r')
  expect(result).toEqual({ answer: 'passwörd 🐎', said: 'Password: \n', modes: [true, false], left: 0 })
})

test('backspace removes one character, and Ctrl-U all of them', async () => {
  expect((await typed('wrong\u0015righ🐎\u007ft\r')).answer).toBe('right')
})

test('Ctrl-C cancels it, and the terminal gets its echo back', async () => {
  const { modes, input } = terminal()
  const answer = askHidden(input, () => {}, '')
  input.emit('data', 'half\u0003')
  await expect(answer).rejects.toThrowError('cancelled')
  expect(modes).toEqual([true, false])
})
