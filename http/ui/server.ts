/** Serves the admin UI on its own port: static files and one page. */
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import { alone, type ProcessPlace, shareOf } from '../../runtime/supervise/messages.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { addressTest, clientIpOf } from '../edge/client-ip.ts'
import type { Exchange, HeaderReader, RequestHandler } from '../server/exchange.ts'
import { createHttpServer } from '../server/http-server.ts'
import { parseListenAddress } from '../server/listen-address.ts'
import { type Encoding, readUiFiles, type UiFile, type UiFiles, uiFolder } from './files.ts'
import { apiOrigin, renderPage } from './page.ts'

export interface UiServer {
  readonly port: number
  close(graceMs: number): Promise<void>
}

export interface UiOptions {
  settings: Settings
  clock: Clock
  log: Log
  gatewayPort: () => number
  /** One of several processes that share the port. */
  place?: ProcessPlace | undefined
  /** The folder of the built files. */
  folder?: string
}

const connectionsMax = 2_000
const fixedHeaders = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer'] as const
/** Of a file that is opened by itself. Not `default-src`: the script of a worker brings its policy, and that one connects to the API. */
const fileCsp = "script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const textCsp = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Undefined where SERVICE_WEBUI_ENABLED is off. @throws PortTaken */
export function openUi(options: UiOptions): UiServer | undefined {
  const { settings, clock, log, folder = uiFolder, place = alone } = options
  if (!settings.get('SERVICE_WEBUI_ENABLED')) return undefined
  const built = readUiFiles(folder)
  if (built.page === undefined) log.warn({ folder }, 'the admin UI was not built; npm run build:ui builds it')
  const server = createHttpServer({
    clock,
    place,
    connectionsMax: shareOf(connectionsMax, place),
    bodiesBytesMax: 0,
    streamBytesMax: 65_536,
    handler: uiHandler(options, built),
  })
  const port = server.listen(parseListenAddress(settings.get('SERVICE_WEBUI_ADDR')))
  log.info({ port }, 'the admin UI is served')
  return { port, close: (graceMs) => server.close(graceMs) }
}

function uiHandler({ settings, log, gatewayPort }: UiOptions, { page, files }: UiFiles): RequestHandler {
  const isTrusted = (address: string) => addressTest(settings.get('SERVICE_TRUSTED_PROXIES'))(address)

  function request(exchange: Exchange, more: HeaderReader): void {
    const { head } = exchange
    if (head.transferEncodings > 0) {
      exchange.close()
      return
    }
    for (let at = 0; at < fixedHeaders.length; at += 2)
      exchange.trustedHeader(fixedHeaders[at] ?? '', fixedHeaders[at + 1] ?? '')
    if (head.path.startsWith('/v1/')) {
      plain(exchange, 404, `This is the admin UI. The API listens on port ${gatewayPort()}.`)
      return
    }
    if (head.method !== 'GET' && head.method !== 'HEAD') {
      exchange.trustedHeader('allow', 'GET, HEAD')
      plain(exchange, 405, 'The admin UI takes GET and HEAD.')
      return
    }
    const file = files.get(head.path)
    if (file) sendFile(exchange, more, file, head.path.startsWith('/assets/'))
    else if (/\.[A-Za-z0-9]{1,12}$/.test(head.path)) plain(exchange, 404, 'There is no such file.')
    else sendPage(exchange)
  }

  function sendPage(exchange: Exchange): void {
    if (page === undefined) {
      plain(exchange, 503, 'The admin UI was not built. Run: npm run build:ui')
      return
    }
    const proto = exchange.head.forwardedProto.split(',', 1)[0]?.trim().toLowerCase()
    const isSecure = proto === 'https' && isTrusted(exchange.remoteAddress)
    const configured = settings.get('SERVICE_WEBUI_API_BASE') || settings.get('SERVICE_PUBLIC_URL')
    const origin = apiOrigin({ configured, gatewayPort: gatewayPort() }, exchange.head.host, isSecure)
    const { html, csp } = renderPage(page, origin, settings.get('SERVICE_CSP'))
    exchange.header('content-security-policy', csp)
    exchange.trustedHeader('cache-control', 'no-store')
    exchange.answer(200, 'text/html; charset=utf-8', html)
  }

  return {
    request,
    broke(exchange, error) {
      log.error({ err: error, path: exchange.head.path.slice(0, 200) }, 'defect in a handler of the admin UI')
      plain(exchange, 500, 'The admin UI could not be served; the log says why.')
    },
    expired: (exchange) => exchange.close(),
    clientIp: (remoteAddress, forwardedFor) => clientIpOf(remoteAddress, forwardedFor, isTrusted),
    finished() {},
    socketBroke(error) {
      log.error({ err: error }, 'defect in a socket of the admin UI')
    },
  }
}

function sendFile(exchange: Exchange, more: HeaderReader, file: UiFile, isForEver: boolean): void {
  exchange.trustedHeader('content-security-policy', fileCsp)
  exchange.trustedHeader('etag', file.etag)
  exchange.trustedHeader('vary', 'Accept-Encoding')
  // The names of assets change with their content.
  exchange.trustedHeader('cache-control', isForEver ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (more.getHeader('if-none-match') === file.etag) {
    exchange.answer(304, undefined, undefined)
    return
  }
  const encoding = bestOf(more.getHeader('accept-encoding'), file)
  if (encoding !== 'identity') exchange.trustedHeader('content-encoding', encoding)
  exchange.answer(200, file.contentType, file.bodies[encoding] ?? file.bodies.identity)
}

function bestOf(accepted: string, file: UiFile): Encoding {
  for (const encoding of ['br', 'gzip'] as const) {
    if (
      file.bodies[encoding] &&
      new RegExp(`(?:^|[,\\s])${encoding}(?:$|[,\\s;])(?!\\s*q=0(?:[.,\\s]|$))`).test(accepted)
    )
      return encoding
  }
  return 'identity'
}

function plain(exchange: Exchange, status: number, text: string): void {
  if (!exchange.isOpen) return
  exchange.trustedHeader('cache-control', 'no-store')
  exchange.trustedHeader('content-security-policy', textCsp)
  exchange.answer(status, 'text/plain; charset=utf-8', text)
}
