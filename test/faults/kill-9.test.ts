import { expect, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { completionOf, json, streamOf } from '../support/model-endpoint.ts'
import { dataFolder, startService, turnsByStatus } from './support/service.ts'

const stored = { 'x-service-conversation-id': 'new' }

test('kill -9 with turns under way: after the next start none is running, and what was said is all there', async () => {
  const SERVICE_DATA_DIR = await dataFolder()
  const first = await startService({ SERVICE_DATA_DIR })
  first.endpoint.script(json(completionOf('Nice to meet you, Ann.')))
  const greeting = await first.chat({ messages: [{ role: 'user', content: 'I am Ann.' }] }, stored)
  const conversation = greeting.headers.get('x-service-conversation-id') ?? ''
  expect(await greeting.json()).toMatchObject({ object: 'chat.completion' })

  // One more turn of that conversation, ten streams and ten whole answers, and none of them will ever end.
  first.endpoint.always(streamOf(['one', 'two'], { gate: new Promise(() => {}) }))
  const lost = [
    first.chat(
      { messages: [{ role: 'user', content: 'What is my name?' }] },
      { 'x-service-conversation-id': conversation },
    ),
    ...Array.from({ length: 20 }, (_, at) => first.chat({ stream: at % 2 === 0 })),
  ].map((asked) => asked.then((answer) => answer.text()).catch(() => 'cut'))
  await first.endpoint.until(() => first.endpoint.openCalls === 21)
  await expect.poll(() => inDatabase(SERVICE_DATA_DIR)).toEqual({ completed: 1, running: 21 })

  first.process.child.kill('SIGKILL')
  await Promise.all(lost)
  await first.process.end
  const second = await startService({ SERVICE_DATA_DIR }, first.endpoint)

  expect(await inDatabase(SERVICE_DATA_DIR)).toEqual({ completed: 1, interrupted: 21 })
  second.endpoint.script(json(completionOf('Ann.')))
  const again = await second.chat(
    { messages: [{ role: 'user', content: 'Once more: my name?' }] },
    { 'x-service-conversation-id': conversation },
  )
  expect(again.status).toBe(200)
  expect(second.endpoint.requests.at(-1)?.body.messages).toMatchObject([
    { role: 'user', content: 'I am Ann.' },
    { role: 'assistant', content: 'Nice to meet you, Ann.' },
    { role: 'user', content: 'What is my name?' },
    { role: 'user', content: 'Once more: my name?' },
  ])
})

async function inDatabase(dataDir: string) {
  const found = await findEmbedded({ dataDir, isDataDirExplicit: true })
  if (!found) throw new Error('the built-in database does not run')
  const db = openDatabase(found.address)
  try {
    return await turnsByStatus(db)
  } finally {
    await db.close()
  }
}
