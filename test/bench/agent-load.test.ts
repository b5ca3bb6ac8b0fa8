/** The load of the agents' rows, against the scripted endpoint as the benchmark starts it: a process of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdTurns } from '../../bench/load/hanging-turns.ts'
import { turnLoad } from '../../bench/load/turns.ts'
import { openSockets } from '../../bench/process/proc.ts'
import { until } from '../../bench/process/until.ts'
import type { Server } from '../../bench/servers/server.ts'
import { startUpstream } from '../../bench/servers/upstream.ts'
import { modelName, parseModelName, type Script } from '../../bench/upstream/script.ts'
import { askedTool, toolTurn } from '../../bench/upstream/tool-turn.ts'

const told = { role: 'tool', content: '2026-01-05T09:30:00+00:00\nMonday, 5 January 2026, 09:30, UTC' }
const phases = { connections: 2, warmUpMs: 10, measureMs: 200 }

describe('the script of an agent’s model', () => {
  test.each<Script>([{ kind: 'tools', steps: 3 }, { kind: 'hang' }])(
    'is named so that it is found again: %o',
    (script) => {
      expect(parseModelName(modelName(script))).toEqual(script)
    },
  )

  test('asks for one call a step, each with an id of its own, and answers after the last result', () => {
    const said = [0, 1, 2].map((done) =>
      toolTurn(
        2,
        Array.from({ length: done }, () => told),
      ),
    )
    expect(said.map(({ status }) => status)).toEqual([200, 200, 200])
    const choices = said.map(({ body }) => JSON.parse(body).choices[0])
    expect(choices.map((choice) => choice.finish_reason)).toEqual(['tool_calls', 'tool_calls', 'stop'])
    expect(choices[1].message.tool_calls).toMatchObject([{ id: 'call_1', function: { name: askedTool } }])
  })

  test('refuses a result that is no time: a loop whose tools fail must not be measured', () => {
    const failed = { role: 'tool', content: 'The call was not made. There is no tool "time_now".' }
    expect(toolTurn(2, [told, failed])).toMatchObject({ status: 400, body: expect.stringContaining('no tool') })
  })
})

describe('the load', () => {
  let upstream: Server
  beforeAll(async () => {
    upstream = await startUpstream()
  })
  afterAll(() => upstream.stop())

  test('makes the model calls of a turn in a row, each with the results of those before it', async () => {
    let begun = 0
    const job = { kind: 'model-calls', steps: 3, target: upstream.endpoint, ...phases } as const
    const figures = await turnLoad(job, {
      onBegin: () => {
        begun++
      },
    })
    expect(begun).toBe(1)
    expect(figures['turnsPerS']).toBeGreaterThan(0)
    expect(figures['latencyP99Ms']).toBeGreaterThanOrEqual(figures['latencyP50Ms'] ?? Number.NaN)
  })

  test('waits for turns that are longer than the time that counts, and rates what ended in it', async () => {
    const agent = modelName({ kind: 'paced', chunks: 30, intervalMs: 10 })
    const job = { kind: 'agent-turns', agent, steps: 1, target: upstream.endpoint, connections: 2 } as const
    const figures = await turnLoad({ ...job, warmUpMs: 30, measureMs: 50 }, {})
    expect(figures['turnsPerS']).toBe(0)
    expect(figures['latencyP50Ms']).toBeGreaterThan(200)
  })

  test('fails where a turn ends without having made its steps', async () => {
    const agent = modelName({ kind: 'tools', steps: 1 })
    const job = { kind: 'agent-turns', agent, steps: 1, target: upstream.endpoint, ...phases } as const
    await expect(turnLoad(job, {})).rejects.toThrow('a turn ended with')
  })

  test('fails where a turn is refused', async () => {
    const agent = modelName({ kind: 'refuse', status: 503 })
    const job = { kind: 'agent-turns', agent, steps: 1, target: upstream.endpoint, ...phases } as const
    await expect(turnLoad(job, {})).rejects.toThrow('answered 503')
  })

  test('holds turns open until it hangs up', async () => {
    const before = await openSockets(upstream.process.pid)
    const turns = await holdTurns(upstream.endpoint, modelName({ kind: 'hang' }), 5)
    await until('all are open', 5_000, async () => (await openSockets(upstream.process.pid)) === before + 5)
    turns.check()
    turns.close()
    await until('all are closed', 5_000, async () => (await openSockets(upstream.process.pid)) === before)
    turns.check()
  })

  test('says so where a turn that was to hang was answered', async () => {
    const turns = await holdTurns(upstream.endpoint, modelName({ kind: 'whole' }), 1)
    await until('it is answered', 5_000, async () => failed(() => turns.check()))
    expect(() => turns.check()).toThrow('was answered 200')
    turns.close()
  })
})

function failed(work: () => void): boolean {
  try {
    work()
    return false
  } catch {
    // Which failure it was, the test says.
    return true
  }
}
