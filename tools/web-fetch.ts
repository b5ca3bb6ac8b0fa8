/** The tool `web_fetch`: a web page as Markdown; its content is untrusted. */
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { allowlist } from '../runtime/network/allowlist.ts'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from '../runtime/pool/errors.ts'
import { createPool } from '../runtime/pool/pool.ts'
import { type ReadableTask, type ReadableText, readableFile } from '../workers/readable.task.ts'
import { decodeText, kindByBytes, kindByHeader } from './net/content-type.ts'
import { describeHosts } from './net/described-hosts.ts'
import { readUrl } from './net/read-url.ts'
import { guardedRequester, type OutgoingResponse, type ResponseHead } from './net/requester.ts'
import { defineTool, type ToolContext, ToolFailed, type ToolMaker } from './tool.ts'

/** Of a part, however small the operator makes results. */
const textCharactersMin = 200
const urlCharactersShown = 500
/** For the line that says which part of the text it is. */
const extentCharacters = 120
/** Of one page in all; the rest is dropped. */
const pageCharactersMax = 2_000_000
const titleCharactersMax = 200

/** Pages that are read in parts: an offset refers to the text that was fetched first, even if the page has changed. */
const recentPageLimits = { max: 64, maxSize: 8_000_000, ttl: 600_000 }

const Arguments = z.strictObject({
  url: z.string().min(1).max(8_192).describe('In full, with http:// or https://'),
  offset: z.int().min(0).default(0).describe('To read on in a long page: the offset that the part before named'),
})
type Arguments = z.infer<typeof Arguments>

interface Page {
  /** Where it came from, after redirects. */
  url: string
  title: string | undefined
  byline: string | undefined
  text: string
  /** The page has more than was read. */
  isCut: boolean
}

export const webFetch: ToolMaker = ({ settings, log, clock, resolve, metrics, tracer }) => {
  const allow = allowlist(settings.get('SERVICE_WEBFETCH_ALLOWLIST'), true)
  if (allow.unreadable.length > 0)
    log.error(
      { entries: allow.unreadable },
      'SERVICE_WEBFETCH_ALLOWLIST has entries that are no domains and allow nothing',
    )
  const isAirgapped = settings.get('SERVICE_AIRGAPPED')
  const requester = guardedRequester({ allow, isAirgapped, clock, log, resolve })
  const pool = createPool<ReadableTask, ReadableText>({
    name: 'readable',
    file: readableFile,
    size: 2,
    queueMax: 16,
    timeoutMs: 10_000,
    memoryMb: 384,
    log,
    clock,
    ...(metrics && { metrics }),
    ...(tracer && { tracer }),
  })
  const recentPages = new LRUCache<string, Page>({
    ...recentPageLimits,
    sizeCalculation: ({ text }) => text.length + 1_000,
    perf: { now: () => clock.elapsed() },
    ttlResolution: 0,
  })

  async function fetchPage(url: string, signal: AbortSignal): Promise<Page> {
    const answer = await requester.request({
      method: 'GET',
      url,
      headers: requestHeaders,
      signal,
      onHead: refuseUnreadable,
    })
    const contentType = answer.headers['content-type'] ?? ''
    const kind = kindByHeader(contentType) ?? kindByBytes(answer.bytes)
    if (kind === 'other') throw notText('without a name')
    const text = decodeText(answer.bytes, contentType, kind)
    const read = kind === 'html' ? await readHtml(text, answer, signal) : { title: '', byline: '', text, isCut: false }
    return pageOf(answer, read)
  }

  function readHtml(html: string, { url }: OutgoingResponse, signal: AbortSignal): Promise<ReadableText> {
    return pool.run({ html, url, charactersMax: pageCharactersMax }, { signal }).catch((cause: unknown) => {
      if (signal.aborted || cause instanceof PoolClosed) throw cause
      if (cause instanceof PoolFull)
        throw new ToolFailed('busy', 'Too many pages are being read; try again later.', { cause })
      if (cause instanceof TaskTimeout || cause instanceof WorkerDied || (cause as Error).name === 'RangeError')
        throw new ToolFailed('page_too_complex', 'The page is too large or too deep to be read.', { cause })
      throw cause
    })
  }

  async function run(context: ToolContext, { url, offset }: Arguments): Promise<string> {
    const key = `${context.workspaceId} ${readUrl(url).href}`
    const page = (offset > 0 ? recentPages.get(key) : undefined) ?? (await fetchPage(url, context.signal))
    recentPages.set(key, page)
    return pagePart(page, offset, settings.get('SERVICE_AGENT_RESULT_CHARS'))
  }

  return defineTool({
    name: 'web_fetch',
    description: `Reads a web page, or a text or JSON file on the web, and returns its text; of a page the article with its links. ${describeHosts(allow, isAirgapped)}`,
    arguments: Arguments,
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 75_000,
    needsGrant: true,
    isUntrusted: true,
    run,
    close: () => pool.close(0),
  })
}

const requestHeaders = {
  accept: 'text/html, application/xhtml+xml, application/json;q=0.9, text/*;q=0.9, */*;q=0.1',
  'user-agent': 'Mozilla/5.0 (compatible; agent-platform-service)',
}

/** Called before the body is read. */
function refuseUnreadable({ status, statusText, headers }: ResponseHead): void {
  if (status < 200 || status > 299)
    throw new ToolFailed('bad_status', `The server answered ${status} ${statusText}`.trimEnd().concat('.'))
  const contentType = headers['content-type'] ?? ''
  if (kindByHeader(contentType) === 'other') throw notText(contentType.split(';')[0]?.slice(0, 100) ?? '')
}

function notText(type: string): ToolFailed {
  return new ToolFailed('content_type_refused', `This is not a text but content ${type}, which cannot be read here.`)
}

function pageOf({ url, isTruncated }: OutgoingResponse, read: ReadableText): Page {
  return {
    url,
    title: read.title.slice(0, titleCharactersMax) || undefined,
    byline: read.byline.slice(0, titleCharactersMax) || undefined,
    text: read.text.slice(0, pageCharactersMax),
    isCut: isTruncated || read.isCut || read.text.length > pageCharactersMax,
  }
}

/** @param charactersMax of the whole result: a longer one would be cut, and the next part would not begin at its end */
function pagePart({ url, title, byline, text, isCut }: Page, offset: number, charactersMax: number): string {
  const from = [title && `Title: ${title}`, byline && `By: ${byline}`, `Address: ${url.slice(0, urlCharactersShown)}`]
  const head = from.filter(Boolean).join('\n')
  if (text === '') return `${head}\n\n(the page has no text)`
  if (offset >= text.length)
    throw new ToolFailed(
      'offset_past_end',
      `The text has ${text.length} characters; read it from an offset below that.`,
    )
  const room = Math.max(textCharactersMin, charactersMax - head.length - extentCharacters)
  const end = wholeCharacters(text, Math.min(text.length, offset + room))
  const more =
    end < text.length ? `; read on with offset ${end}` : isCut ? '; the rest of the page is not read here' : ''
  const extent = offset > 0 || more !== '' ? `\nCharacters ${offset} to ${end} of ${text.length}${more}` : ''
  return `${head}${extent}\n\n${text.slice(offset, end)}`
}

/** Not inside a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end)
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end
}
