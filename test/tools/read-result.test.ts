import { expect, test } from 'vitest'
import { openSettings } from '../../config/settings.ts'
import { createResolver } from '../../runtime/network/resolver.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { firstWorkspaceId, newTurnId } from '../../store/id.ts'
import { readResult } from '../../tools/read-result.ts'
import { type ToolContext, ToolFailed } from '../../tools/tool.ts'
import { recordingLog } from '../support/recording-log.ts'

const { log } = recordingLog()
const settings = openSettings({ environment: { SERVICE_AGENT_RESULT_CHARS: '1000' }, stored: new Map() })
const tool = readResult({ settings, log, clock: systemClock, resolve: createResolver() })

function contextWith(results: Record<string, string>): ToolContext {
  const outside = () => Promise.reject(new Error('not for this tool'))
  return {
    workspaceId: firstWorkspaceId,
    turnId: newTurnId(),
    conversationId: null,
    callKey: 'key',
    log,
    clock: systemClock,
    signal: new AbortController().signal,
    turn: {
      delegate: outside,
      messageUser: outside,
      reveal: () => [],
      result: (callId) => Promise.resolve(results[callId]),
    },
  }
}

async function read(results: Record<string, string>, given: unknown): Promise<string> {
  const prepared = tool?.prepare(given)
  if (!prepared || 'problem' in prepared) throw new Error(prepared?.problem ?? 'there is no tool')
  return await prepared.run(contextWith(results))
}

test('reads a page from the offset and says where to read on', async () => {
  const text = Array.from({ length: 300 }, (_, at) => `line ${at}\n`).join('')
  const page = await read({ call_1: text }, { call_id: 'call_1', offset: 100 })
  const [head, ...lines] = page.split('\n')
  expect(head).toBe(`[Characters 100 to 850 of ${text.length} of the result of call_1; read on with offset 850.]`)
  expect(lines.join('\n')).toBe(text.slice(100, 850))
})

test('read on by the offsets it names, a result comes whole, and no page is longer than a result may be', async () => {
  const text = '😀ё漢a'.repeat(700)
  let whole = ''
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: string = await read({ c: text }, { call_id: 'c', offset })
    expect(page.length).toBeLessThanOrEqual(1_000)
    expect(page.isWellFormed()).toBe(true)
    whole += page.slice(page.indexOf('\n') + 1)
    const next = /read on with offset (\d+)\.\]/.exec(page)?.[1]
    offset = next === undefined ? undefined : Number(next)
  }
  expect(whole).toBe(text)
})

test('says at the last page that it is the end', async () => {
  expect(await read({ c: 'short' }, { call_id: 'c' })).toBe(
    '[Characters 0 to 5 of 5 of the result of c; this is its end.]\nshort',
  )
})

test('an offset inside a character begins before it', async () => {
  expect(await read({ c: 'a😀b' }, { call_id: 'c', offset: 2 })).toContain('\n😀b')
})

test('says what is wrong with a call or an offset that does not exist', async () => {
  await expect(read({}, { call_id: 'c' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(read({ c: 'short' }, { call_id: 'c', offset: 5 })).rejects.toThrow(
    new ToolFailed('past_end', 'The result has 5 characters: the offset has to be below that.'),
  )
  expect(tool?.prepare({ call_id: 'c', offset: -1 })).toEqual({ problem: expect.stringContaining('offset') })
})

test('what it returns counts as written by strangers', () => {
  expect(tool).toMatchObject({ name: 'read_result', risk: 'read', idempotency: 'repeatable', isUntrusted: true })
})
