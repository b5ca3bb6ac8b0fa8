/**
 * Turns a page of HTML into Markdown, on a thread: parsing untrusted pages takes seconds and hundreds of megabytes. Written
 * by hand because the libraries for it recurse: at 2,000 nested elements Turndown 7.2 overflows the stack, and
 * node-html-markdown 2.0 takes 5 s; both let `javascript:` links and hidden text through.
 */
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { ReadableTask, ReadableText } from './readable.task.ts'

/** The part of a document that we use; the project does not include the types of browsers. */
interface PageNode {
  readonly nodeType: number
  readonly localName?: string
  readonly textContent: string | null
  readonly parentNode: PageNode | null
  readonly firstChild: PageNode | null
  readonly nextSibling: PageNode | null
  getAttribute?(name: string): string | null
}
interface Page extends PageNode {
  querySelector(selector: string): PageNode | null
}

/** An element takes some kilobytes of memory; what comes after so many tags is not read. */
const tagsMax = 150_000
/** Beyond these, finding the article takes seconds, and its recursion overflows the stack: then the whole page is converted. */
const articleElementsMax = 30_000
const articleDepthMax = 300
/** With a shorter article the page is of another kind, and converted as a whole. */
const articleCharactersMin = 200

const elementNode = 1
const textNode = 3

export default function readable({ html, url, charactersMax }: ReadableTask): ReadableText {
  const part = withinTags(html)
  const page = parse(part)
  const base = baseOf(page, url)
  const title = oneLine(page.querySelector('title')?.textContent)
  const isFit = isFitForArticle(page)
  const article = isFit ? articleIn(page) : undefined
  if (article) {
    const { text, isCut } = markdownOf(article.content, base, charactersMax)
    if (text.length >= articleCharactersMin)
      return { text, title: article.title || title, byline: article.byline, isCut: isCut || part !== html }
  }
  // Finding the article has changed the document.
  const whole = isFit ? parse(part) : page
  const { text, isCut } = markdownOf(whole.querySelector('body') ?? whole, base, charactersMax)
  return { text, title, byline: '', isCut: isCut || part !== html }
}

function withinTags(html: string): string {
  let tags = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1))
    if (++tags > tagsMax) return html.slice(0, at)
  return html
}

/** The parser makes no document of a text without elements. */
function parse(html: string): Page {
  const isDocument = /<(html|body)[\s>]/i.test(html)
  return parseHTML(isDocument ? html : `<html><body>${html}</body></html>`).document as unknown as Page
}

function articleIn(page: Page): { content: PageNode; title: string; byline: string } | undefined {
  const document = page as unknown as ConstructorParameters<typeof Readability>[0]
  try {
    const article = new Readability<PageNode>(document, { serializer: (node) => node as unknown as PageNode }).parse()
    if (!article?.content) return undefined
    return { content: article.content, title: oneLine(article.title), byline: oneLine(article.byline) }
  } catch {
    return undefined // a page that the library cannot read has no article; it is converted as a whole
  }
}

function isFitForArticle(page: Page): boolean {
  let elements = 0
  let depth = 0
  let deepest = 0
  walk(page, {
    enter(node) {
      deepest = Math.max(deepest, ++depth)
      if (node.nodeType === elementNode) elements++
      return elements <= articleElementsMax && deepest <= articleDepthMax
    },
    leave: () => depth--,
  })
  return elements <= articleElementsMax && deepest <= articleDepthMax
}

function baseOf(page: Page, url: string): string {
  const href = page.querySelector('base')?.getAttribute?.('href') ?? ''
  return URL.canParse(href, url) ? new URL(href, url).href : url
}

interface Visitor {
  /** @returns false: its children are skipped */
  enter(node: PageNode): boolean
  /** Once for each node that was entered, also where its children were skipped. */
  leave(node: PageNode): void
}

/** Without recursion: a page may be nested as deep as it is long. */
function walk(root: PageNode, { enter, leave }: Visitor): void {
  let node: PageNode = root
  for (;;) {
    const child = enter(node) ? node.firstChild : null
    if (child) {
      node = child
      continue
    }
    leave(node)
    while (node !== root && !node.nextSibling) {
      if (!node.parentNode) return
      node = node.parentNode
      leave(node)
    }
    if (node === root || !node.nextSibling) return
    node = node.nextSibling
  }
}

const skipped = new Set(
  'script style noscript template head svg math canvas iframe object embed audio video button input select textarea'.split(
    ' ',
  ),
)
const blocks = new Set(
  'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul'.split(
    ' ',
  ),
)
/** Blocks with a line for themselves, but no empty line around it. */
const tight = new Set(['dd', 'dt', 'li', 'tr'])
/** Deeper lists are indented no further. */
const listDepthMax = 6
const linkProtocols = new Set(['http:', 'https:', 'mailto:'])
const linkCharactersMax = 2_000

function markdownOf(root: PageNode, base: string, charactersMax: number): { text: string; isCut: boolean } {
  const writer = new MarkdownWriter(base, charactersMax)
  walk(root, writer)
  return { text: writer.text, isCut: writer.isCut }
}

class MarkdownWriter implements Visitor {
  isCut = false
  #pieces: string[] = []
  #characters = 0
  readonly #base: string
  readonly #charactersMax: number
  /** Where the text of each open link begins, and the gap that is due before it. */
  readonly #links: { at: number; breaks: number; isSpaceDue: boolean }[] = []
  /** The open lists; numbered ones with the number of the next item. */
  readonly #lists: { next: number | undefined }[] = []
  /** How many `pre` elements are open. */
  #preDepth = 0
  /** Line ends that are due before the next word. */
  #breaks = 0
  #isSpaceDue = false
  /** The marker of a list item or a cell was just written: its text belongs on the same line. */
  #isAfterMarker = false

  constructor(base: string, charactersMax: number) {
    this.#base = base
    this.#charactersMax = charactersMax
  }

  get text(): string {
    return this.#pieces.join('').trim()
  }

  readonly enter = (node: PageNode): boolean => {
    if (this.isCut) return false
    if (node.nodeType === textNode) this.#addText(node.textContent ?? '')
    if (node.nodeType !== elementNode) return node.nodeType !== textNode
    const name = node.localName ?? ''
    if (skipped.has(name) || isHidden(node)) return false
    if (blocks.has(name)) this.#breakLines(this.#linesAround(name))
    this.#begin(name, node)
    return true
  }

  readonly leave = (node: PageNode): void => {
    const name = node.localName ?? ''
    if (node.nodeType !== elementNode || skipped.has(name) || isHidden(node)) return
    if (name === 'a') this.#endLink(node.getAttribute?.('href') ?? '')
    if (name === 'ul' || name === 'ol') this.#lists.pop()
    if (name === 'code' && this.#preDepth === 0) this.#append('`')
    if (name === 'pre' && --this.#preDepth === 0) this.#append('\n```')
    if (blocks.has(name)) this.#breakLines(this.#linesAround(name))
  }

  /** No empty line around a list in a list. */
  #linesAround(name: string): number {
    return tight.has(name) || ((name === 'ul' || name === 'ol') && this.#lists.length > 0) ? 1 : 2
  }

  #begin(name: string, node: PageNode): void {
    const level = /^h([1-6])$/.exec(name)?.[1]
    if (level !== undefined) this.#write(`${'#'.repeat(Number(level))} `)
    else if (name === 'a') this.#beginLink()
    else if (name === 'br') this.#breakLines(1)
    else if (name === 'hr') this.#write('---')
    else if (name === 'ul') this.#lists.push({ next: undefined })
    else if (name === 'ol') this.#lists.push({ next: 1 })
    else if (name === 'li') this.#writeMarker(this.#bullet())
    else if (name === 'td' || name === 'th') this.#beginCell()
    else if (name === 'blockquote') this.#writeMarker('> ')
    else if (name === 'code' && this.#preDepth === 0) this.#write('`')
    else if (name === 'pre' && this.#preDepth++ === 0) this.#write('```\n')
    else if (name === 'img' && oneLine(node.getAttribute?.('alt')) !== '')
      this.#write(`[image: ${oneLine(node.getAttribute?.('alt'))}]`)
  }

  #bullet(): string {
    const list = this.#lists.at(-1)
    const indentation = '  '.repeat(Math.min(Math.max(this.#lists.length - 1, 0), listDepthMax))
    return `${indentation}${list?.next === undefined ? '-' : `${list.next++}.`} `
  }

  #beginCell(): void {
    this.#isSpaceDue = true
    this.#writeMarker('| ')
  }

  #beginLink(): void {
    this.#links.push({ at: this.#pieces.length, breaks: this.#breaks, isSpaceDue: this.#isSpaceDue })
    this.#breaks = 0
    this.#isSpaceDue = false
  }

  #endLink(href: string): void {
    const link = this.#links.pop()
    if (!link) return
    const inner = this.#pieces.splice(link.at).join('')
    this.#characters -= inner.length
    const text = oneLine(inner)
    const due = { breaks: this.#breaks, isSpaceDue: this.#isSpaceDue }
    this.#breaks = link.breaks
    this.#isSpaceDue = link.isSpaceDue
    if (text !== '') {
      const url = URL.canParse(href, this.#base) ? new URL(href, this.#base) : undefined
      const isShown =
        url && !href.startsWith('#') && linkProtocols.has(url.protocol) && url.href.length <= linkCharactersMax
      this.#write(isShown ? `[${text}](${url.href})` : text)
    }
    this.#breakLines(due.breaks)
    this.#isSpaceDue ||= due.isSpaceDue
  }

  #addText(text: string): void {
    const clean = text.replace(/[\p{Cc}\p{Cs}]/gu, (character) => (/\s/.test(character) ? character : ''))
    if (this.#preDepth > 0) {
      this.#write(clean)
      return
    }
    const words = clean.replace(/\s+/g, ' ')
    if (words.startsWith(' ')) this.#isSpaceDue = true
    if (words.trim() !== '') this.#write(words.trim())
    if (words.endsWith(' ')) this.#isSpaceDue = true
  }

  /** The line ends or the space that are due, then the text. */
  #write(text: string): void {
    const gap = this.#breaks > 0 ? '\n'.repeat(this.#breaks) : this.#isSpaceDue ? ' ' : ''
    this.#breaks = 0
    this.#isSpaceDue = false
    this.#isAfterMarker = false
    this.#append(gap + text)
  }

  #append(text: string): void {
    this.#pieces.push(text)
    this.#characters += text.length
    if (this.#characters > this.#charactersMax) this.isCut = true
  }

  #writeMarker(marker: string): void {
    this.#write(marker)
    this.#isAfterMarker = true
  }

  #breakLines(lines: number): void {
    if (!this.#isAfterMarker) this.#breaks = Math.max(this.#breaks, lines)
  }
}

function isHidden(node: PageNode): boolean {
  const style = node.getAttribute?.('style') ?? ''
  return node.getAttribute?.('hidden') != null || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
}

function oneLine(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}
