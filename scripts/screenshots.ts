/**
 * `npm run screenshots [folder]`: pictures of every page of the admin UI, in `screenshots/`. It starts a service with
 * sample data for them and stops it afterwards.
 */
import { fileURLToPath } from 'node:url'
import { type Seeded, seed } from './screenshots/seed.ts'
import { firstOperator, startService } from './screenshots/service.ts'
import { startStandIns } from './screenshots/stand-ins.ts'
import { openBrowser, type Picture, takePictures } from './screenshots/take.ts'

const folder = process.argv[2] ?? fileURLToPath(new URL('../screenshots', import.meta.url))
const pagesFile = '../web/pages/pages.ts'

/** Imported dynamically: the pages need the DOM's types. */
async function picturesOf({ agent, conversation, turn }: Seeded): Promise<Picture[]> {
  const { pages } = (await import(new URL(pagesFile, import.meta.url).href)) as { pages: readonly { path: string }[] }
  const plain = pages
    .filter(({ path }) => !path.includes('$'))
    .map(({ path }) => ({ path, name: path === '/' ? 'overview' : path.slice(1).replaceAll('/', '-') }))
  return [
    ...plain,
    { name: 'agent', path: `/agents/${agent}` },
    { name: 'channel', path: '/channels/shop' },
    { name: 'new-channel', path: '/channels/_new' },
    { name: 'conversation', path: `/conversations/${conversation}` },
    { name: 'turn', path: `/turns/${turn}` },
  ]
}

const standIns = await startStandIns()
try {
  const service = await startService({
    SERVICE_LLM_GATEWAY_URL: `http://${standIns.host}/v1`,
    SERVICE_LLM_MODEL: 'local-large',
    SERVICE_LLM_RETRIES: '0',
    SERVICE_HTTP_ALLOWLIST: standIns.host,
    SERVICE_INBOUND_REQUIRE_BINDING: 'false',
  })
  const browser = await openBrowser()
  try {
    const at = { uiUrl: service.uiUrl, folder }
    await takePictures(browser, at, [{ name: 'first-operator', path: '/' }])
    const operator = await firstOperator(service)
    const seeded = await seed(service, operator, standIns.host)
    await takePictures(browser, at, [{ name: 'sign-in', path: '/' }])
    await takePictures(browser, at, await picturesOf(seeded), operator.cookie)
    console.log(`the pictures are in ${folder}`)
  } finally {
    await browser.close()
    await service.stop()
  }
} finally {
  standIns.close()
}
