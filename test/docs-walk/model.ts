/** The model of the walk, where a page names one at 11434: it lists what the docs name, and answers every chat. Asked for an order it calls a tool. */
import { completionOf, fixedAnswer, json, type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

const names = ['llama3.2']

/** At an address that is always refused, so that nothing leaves this machine even where it is approved. */
const order = json(
  completionOf({
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'http_request', arguments: '{"method":"POST","url":"http://127.0.0.1:9/orders"}' },
      },
    ],
  }),
)

export async function scriptedModel(): Promise<ModelEndpoint> {
  const endpoint = await modelEndpoint()
  const chat = fixedAnswer()
  endpoint.always((call) => {
    const { path, body } = call.request
    if (path.endsWith('/models'))
      return json({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) })(call)
    const { role, content } = body.messages.at(-1)
    return role === 'user' && String(content).startsWith('Order ') ? order(call) : chat(call)
  })
  return endpoint
}
