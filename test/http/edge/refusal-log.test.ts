/** What the log says of callers who are refused: who, where and why, never the credential, and never a flood. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { admin, inbound, key } from '../../../http/access.ts'
import { rateLimiter } from '../../../http/auth/rate-limiter.ts'
import { forbidden } from '../../../http/error.ts'
import { route } from '../../../http/route.ts'
import { minutes } from '../../../runtime/time/duration.ts'
import { newApiKeyId } from '../../../store/id.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from '../support/server.ts'

const face = { tag: 'test', summary: 'test', answers: {}, handle: () => ({ ok: true }) } as const
const routes = [
  route({ ...face, access: key('chat'), method: 'GET', path: '/chat' }),
  route({ ...face, access: admin('keys.read'), method: 'GET', path: '/keys/:id' }),
  route({
    ...face,
    access: key('chat'),
    method: 'GET',
    path: '/beyond',
    handle() {
      throw forbidden('This is beyond the caller.')
    },
  }),
  route({ ...face, access: inbound, method: 'POST', path: '/inbound' }),
]
const chat = { ...principal('chat'), keyId: newApiKeyId() }
const limited = { ...principal('chat'), keyId: newApiKeyId(), rateLimitRpm: 1 }
const clock = virtualClock()
let test: TestGateway

beforeAll(async () => {
  const settings = { get: () => 'the inbound secret' }
  const keys = fixedKeys({ chat, limited })
  test = await testGateway(routes, { clock, keys, limits: rateLimiter(clock), app: { settings } as never })
})
afterAll(() => test.stop())

async function refusalsOf(...requests: [path: string, bearer?: string | undefined, method?: string][]) {
  const before = test.lines.length
  for (const [path, bearer, method = 'GET'] of requests)
    await fetch(`${test.url}${path}`, {
      method,
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    })
  return test.lines.slice(before).filter(({ msg }) => msg === 'a caller was refused')
}

it('a missing permission is written down with the caller, the route and the reason, once in a quarter of an hour', async () => {
  const lines = await refusalsOf(['/keys/key_1', 'chat'], ['/keys/key_2', 'chat'], ['/chat', 'chat'])
  const line = { caller: chat.keyId, code: 'forbidden', method: 'GET', route: '/keys/:id', ip: '127.0.0.1' }
  expect(lines).toMatchObject([{ ...line, request_id: expect.any(String) }])
  await clock.advance(minutes(15))
  expect(await refusalsOf(['/keys/key_1', 'chat'])).toHaveLength(1)
})

it('what a handler refuses is written down too', async () => {
  expect(await refusalsOf(['/beyond', 'chat'])).toMatchObject([
    { caller: chat.keyId, code: 'forbidden', route: '/beyond' },
  ])
})

it('an unknown credential, a wrong secret and a spent rate are written down, without the credential', async () => {
  const lines = await refusalsOf(['/chat', 'sk-guessed'], ['/chat', 'limited'], ['/chat', 'limited'])
  expect(lines).toMatchObject([
    { caller: 'nobody', code: 'unauthorized', route: '/chat' },
    { caller: limited.keyId, code: 'rate_limit_exceeded' },
  ])
  expect(JSON.stringify(lines)).not.toContain('guessed')
  await clock.advance(minutes(15))
  expect(await refusalsOf(['/inbound', undefined, 'POST'])).toMatchObject([{ caller: 'nobody', route: '/inbound' }])
})

it('a flood leaves a bounded number of lines', async () => {
  await clock.advance(minutes(15))
  const paths = Array.from({ length: 100 }, (): [string, string] => ['/keys/key_1', 'chat'])
  expect(await refusalsOf(...paths)).toHaveLength(1)
})
