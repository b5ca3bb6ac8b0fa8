/** Agents: what the loop adds to each tool step, how many turns at once it carries, what one keeps in memory, what a long past costs. */
import { setTimeout as pause } from 'node:timers/promises'
import { interleaved } from '../interleave.ts'
import { holdTurns } from '../load/hanging-turns.ts'
import { runLoad } from '../process/load.ts'
import { cpuSeconds, openSockets, residentMiB } from '../process/proc.ts'
import { until } from '../process/until.ts'
import type { Bench, Figures, Row, Samples } from '../row.ts'
import { type OurServer, startOurs } from '../servers/ours.ts'
import { makeAgent } from '../servers/ours-agent.ts'
import type { Server } from '../servers/server.ts'
import { startUpstream } from '../servers/upstream.ts'
import { loadOn, loopLine } from './chat.ts'

const steps = 3

/** Turns that hang before the idle memory is read: code is compiled and pools are there by then. */
const warmUpTurns = 32

/** Until all turns that are to hang do, or until all have ended. */
const turnsWithinMs = 60_000

const stepRow: Row = {
  name: 'agent-step',
  what: `An agent's turn of ${steps} tool steps (time_now) on one connection; floor: its ${steps + 1} model calls in a row, on the endpoint itself. A further step is a ${steps}rd of what it takes longer than a turn without one, so that request and record of the turn are not in it; the share of the turn has them.`,
  lines: [
    { label: 'a further step', figure: 'furtherStepMs', unit: 'ms', digits: 2, isAdded: true },
    { label: `a ${steps}rd of the turn`, figure: 'shareMs', unit: 'ms', digits: 2, isAdded: true },
    { label: 'turn p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2, isAdded: true },
    { label: 'turn p99', figure: 'latencyP99Ms', unit: 'ms', digits: 2 },
    loopLine,
  ],
  measure: (bench) =>
    withServers(async (upstream, ours) => {
      const { warmUpMs, measureMs } = bench.scale
      const agents = new Map<number, string>()
      for (const made of [0, steps]) agents.set(made, await makeAgent(ours, { kind: 'tools', steps: made }))
      const onOurs = (made: number) =>
        loadOn(bench, ours, { kind: 'agent-turns', connections: 1, agent: agents.get(made) ?? '', steps: made })
      const onModel = (made: number) =>
        runLoad({
          ...{ kind: 'model-calls', target: upstream.endpoint, connections: 1, steps: made },
          ...{ warmUpMs, measureMs },
        })
      return interleaved({ ours: () => bySteps(onOurs), floor: () => bySteps(onModel) }, bench.runs, bench.say)
    }),
}

/** The figures of a turn with all steps, and beside them what one step is of it. */
async function bySteps(turnsOf: (steps: number) => Promise<Figures>): Promise<Figures> {
  const without = Number((await turnsOf(0))['latencyP50Ms'])
  const figures = await turnsOf(steps)
  const whole = Number(figures['latencyP50Ms'])
  return { ...figures, furtherStepMs: (whole - without) / steps, shareMs: whole / steps }
}

const turnsRow: Row = {
  name: 'agent-turns',
  what: `200 turns of an agent at once, ${steps} tool steps (time_now) each; every connection asks again as soon as it is answered.`,
  lines: [
    { label: 'turns', figure: 'turnsPerS', unit: '1/s' },
    { label: 'turn p50', figure: 'latencyP50Ms', unit: 'ms', digits: 1 },
    { label: 'turn p99', figure: 'latencyP99Ms', unit: 'ms', digits: 1 },
    loopLine,
  ],
  measure: (bench) =>
    withServers(async (_upstream, ours) => {
      const agent = await makeAgent(ours, { kind: 'tools', steps })
      const work = { kind: 'agent-turns', connections: bench.scale.agentTurns, agent, steps } as const
      return interleaved({ ours: () => loadOn(bench, ours, work) }, bench.runs, bench.say)
    }),
}

const memoryRow: Row = {
  name: 'agent-memory',
  what: '1,000 turns of an agent whose model never answers: resident memory above idle, the connections of client and model call included.',
  lines: [
    { label: 'memory of a running turn', figure: 'turnKiB', unit: 'KiB', digits: 1 },
    { label: 'resident memory before them', figure: 'idleMiB', unit: 'MiB' },
  ],
  async measure(bench) {
    // Each run on a service of its own: memory that has grown once is not given back for the next to be seen.
    const measureOnce = () => withServers((upstream, ours) => memoryOfTurns(bench, upstream, ours), { isProbed: false })
    return interleaved({ ours: measureOnce }, bench.runs, bench.say)
  },
}

async function memoryOfTurns({ scale }: Bench, upstream: Server, ours: OurServer): Promise<Figures> {
  const agent = await makeAgent(ours, { kind: 'hang' })
  const endWarmUp = await hangingTurns(upstream, ours, agent, warmUpTurns)
  await endWarmUp()
  await pause(scale.settleMs)
  const idleMiB = await residentMiB(ours.process.pid)
  const end = await hangingTurns(upstream, ours, agent, scale.hangingTurns)
  await pause(scale.settleMs)
  const busyMiB = await residentMiB(ours.process.pid)
  await end()
  return { idleMiB, turnKiB: ((busyMiB - idleMiB) * 1_024) / scale.hangingTurns }
}

/** @returns what ends them; it throws where one of them had ended before */
async function hangingTurns(
  upstream: Server,
  ours: OurServer,
  agent: string,
  count: number,
): Promise<() => Promise<void>> {
  const turns = await holdTurns(ours.endpoint, agent, count)
  const areAll = (wanted: number) => async () => (await ours.stats())['turns'] === wanted
  try {
    await until(`${count} turns run`, turnsWithinMs, areAll(count))
    // A turn that runs may not have come to its model yet.
    await until(`${count} model calls are open`, turnsWithinMs, async () => {
      turns.check()
      return (await openSockets(upstream.process.pid)) >= count
    })
  } catch (error) {
    turns.close()
    throw error
  }
  return async () => {
    try {
      turns.check()
    } finally {
      turns.close()
    }
    await until('no turn runs', turnsWithinMs, areAll(0))
  }
}

const shortMessages = 20
const longMessages = 1_000

/** Turns of one short conversation: a few, so that it stays short. */
const turnsEach = 4

const longRow: Row = {
  name: 'agent-long',
  what: `Turns of an agent, one after the other, in conversations of ${shortMessages} messages and in one of ${longMessages}: processor time of the service, its database's not in it. The summary of what is too old is in it where one is made.`,
  lines: [
    { label: 'a turn in a long one', figure: 'longTurnMs', unit: 'ms', digits: 2 },
    { label: 'a turn in a short one', figure: 'shortTurnMs', unit: 'ms', digits: 2 },
    { label: 'long to short', figure: 'ratio', unit: '', digits: 2, targets: [{ of: 'ours', atMost: 2 }] },
  ],
  measure: (bench) =>
    withServers(async (_upstream, ours) => {
      const agent = await makeAgent(ours, { kind: 'tools', steps: 0 })
      const turns = bench.scale.agentTurns
      const long = [await conversationOf(ours, agent, longMessages)]
      const short: string[] = []
      for (let made = 0; made < turns / turnsEach; made++) short.push(await conversationOf(ours, agent, shortMessages))
      await processorMs(ours, agent, long, turnsEach)
      return interleaved({ ours: () => byLength(ours, agent, { long, short }, turns) }, bench.runs, bench.say)
    }),
}

async function byLength(
  ours: OurServer,
  agent: string,
  { long, short }: { long: string[]; short: string[] },
  turns: number,
): Promise<Figures> {
  const shortTurnMs = await processorMs(ours, agent, short, turns)
  const longTurnMs = await processorMs(ours, agent, long, turns)
  return { shortTurnMs, longTurnMs, ratio: longTurnMs / shortTurnMs }
}

/** Of one turn, where so many are asked for in these conversations in turn. */
async function processorMs(
  ours: OurServer,
  agent: string,
  conversations: readonly string[],
  turns: number,
): Promise<number> {
  const before = await cpuSeconds(ours.process.pid)
  for (let at = 0; at < turns; at++)
    await answerOf(ours, agent, conversations[at % conversations.length] ?? 'new', [
      { role: 'user', content: words(at) },
    ])
  return (((await cpuSeconds(ours.process.pid)) - before) * 1_000) / turns
}

/** A new conversation with so many messages in it, its first answer included. */
function conversationOf(ours: OurServer, agent: string, messages: number): Promise<string> {
  const past = Array.from({ length: messages - 1 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: words(at),
  }))
  return answerOf(ours, agent, 'new', past)
}

const words = (at: number) => `${at}: ${'the pallets of packing paper left the warehouse on Tuesday. '.repeat(3)}`

/** @returns the conversation */
async function answerOf(ours: OurServer, agent: string, conversation: string, messages: object[]): Promise<string> {
  const { host, port, headers } = ours.endpoint
  const answer = await fetch(`http://${host}:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-service-conversation-id': conversation },
    body: JSON.stringify({ model: agent, messages }),
  })
  const text = await answer.text()
  const id = answer.headers.get('x-service-conversation-id')
  if (answer.status !== 200 || id === null) throw new Error(`answered ${answer.status}: ${text.slice(0, 400)}`)
  return id
}

async function withServers<Result extends Samples | Figures>(
  work: (upstream: Server, ours: OurServer) => Promise<Result>,
  options: { isProbed?: boolean } = {},
): Promise<Result> {
  const upstream = await startUpstream()
  try {
    const ours = await startOurs(upstream, options)
    try {
      return await work(upstream, ours)
    } finally {
      await ours.stop()
    }
  } finally {
    await upstream.stop()
  }
}

export const agentRows: readonly Row[] = [stepRow, turnsRow, memoryRow, longRow]
