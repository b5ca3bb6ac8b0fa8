/**
 * Agents that people run in their terminal, unchanged, through the service and directly: the same task ends the same, and the model is told the
 * same, also where a program asks by the Responses API and the service asks by chat.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure, type RecordedRequest, type ScriptedAnswer } from '../../support/model-endpoint.ts'
import { type BothWays, bothWays, inBothStyles } from '../responses/both-styles.ts'
import { programs } from './programs.ts'
import { comparable, heard, runProgram } from './run-program.ts'

let pair: BothWays
let folder: string
beforeAll(async () => {
  pair = await bothWays()
  folder = await mkdtemp(join(tmpdir(), 'programs-'))
})
afterAll(async () => {
  await pair.service.stop()
  await rm(folder, { recursive: true, force: true })
})

const done = inBothStyles({ words: ['Done ', 'it.'] })

describe.each(programs)('$name by $api', (program) => {
  /** Both ways with these answers: both must be the same, and it is what came of the way through the service. */
  async function same(...answers: ScriptedAnswer[]) {
    const { script, requests } = pair.service.endpoint
    const home = join(folder, 'home')
    const runs = []
    for (const way of [pair.ours, pair.direct]) {
      const from = requests.length
      script(...answers)
      const ran = await runProgram(program, way, home)
      const asked: RecordedRequest[] = requests.slice(from)
      expect(asked, ran.output).toHaveLength(answers.length)
      runs.push({ ...comparable(ran), output: ran.output, asked, heard: asked.map(heard) })
    }
    const [through, straight] = runs as [(typeof runs)[0], (typeof runs)[0]]
    for (const { path } of through.asked) expect(path).toBe('/v1/chat/completions')
    for (const { path } of straight.asked)
      expect(path).toBe(program.api === 'chat' ? '/v1/chat/completions' : '/v1/responses')
    expect(through.heard).toEqual(straight.heard)
    // Not a field more or less where the service has nothing to translate.
    if (program.api === 'chat')
      expect(through.asked.map(({ body }) => Object.keys(body).toSorted())).toEqual(
        straight.asked.map(({ body }) => Object.keys(body).toSorted()),
      )
    expect({ code: through.code, said: through.said }).toEqual({ code: straight.code, said: straight.said })
    return through
  }

  test('a streamed answer', async () => {
    const { code, output, asked } = await same(done)
    expect(code, output).toBe(0)
    expect(output).toContain('Done it.')
    expect(asked[0]?.body.stream).toBe(true)
  })

  test('a file that it reads for the model', async () => {
    const call = { id: 'call_1', ...program.reads(join(folder, 'home/work/note.txt')) }
    const { code, output, heard: told } = await same(inBothStyles({ words: ['I look.'], calls: [call] }), done)
    expect(code, output).toBe(0)
    expect(output).toContain('Done it.')
    const result = { result: 'call_1', text: expect.stringContaining('made by hand') }
    expect(told[1]?.told).toContainEqual(result)
  })

  test('an endpoint’s refusal', async () => {
    const refusal = {
      code: 'bad_foo',
      type: 'invalid_request_error',
      param: 'foo',
      headers: { 'x-request-id': 'req_1' },
    }
    const { output } = await same(failure(400, 'The words of the endpoint.', refusal))
    expect(output).toContain('The words of the endpoint.')
  })
})
