/** An agent of the benchmark: the scripted endpoint's model behind it, and the tools that this one asks for. */
import { modelName, type Script } from '../upstream/script.ts'
import { askedTool } from '../upstream/tool-turn.ts'
import type { OurServer } from './ours.ts'

/** @returns its name, to be asked for as a model */
export async function makeAgent(ours: OurServer, script: Script): Promise<string> {
  const { host, port } = ours.endpoint
  const model = modelName(script)
  const name = `bench-${model}`
  const answer = await fetch(`http://${host}:${port}/v1/admin/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ours.firstKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, definition: { model, tools: [askedTool] } }),
  })
  if (answer.status !== 201) throw new Error(`no agent for the benchmark: ${answer.status} ${await answer.text()}`)
  return name
}
