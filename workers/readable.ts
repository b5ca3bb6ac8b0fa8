/** Turns a page of HTML into text to read, on a thread: parsing strangers' pages takes seconds and hundreds of megabytes. */
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { ReadableTask, ReadableText } from './readable.task.ts'

/** What is used of a document; the types of browsers are not among those of the project. */
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

/** An element costs some kilobytes of memory; what comes after so many tags is not read. */
const tagsMax = 150_000
/** Finding the article takes seconds past these, and recursion its stack; a larger page is told as a whole. */
const articleElementsMax = 30_000
const articleDepthMax = 300
/** Of what was found to be the article; a shorter one is a page of another kind, told as a whole. */
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
    const told = tell(article.content, base, charactersMax)
    if (told.text.length >= articleCharactersMin)
      return { ...told, title: article.title || title, byline: article.byline, isCut: told.isCut || part !== html }
  }
  // Finding the article changes the document.
  const whole = isFit ? parse(part) : page
  const told = tell(whole.querySelector('body') ?? whole, base, charactersMax)
  return { ...told, title, byline: '', isCut: told.isCut || part !== html }
}

function withinTags(html: string): string {
  let tags = 0
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1))
    if (++tags > tagsMax) return html.slice(0, at)
  return html
}

/** A text without any element is no document to the parser. */
function parse(html: string): Page {
  const isDocument = /<(html|body)[\s>]/i.test(html)
  return parseHTML(isDocument ? html : `<html><body>${html}</body></html>`).document as unknown as Page
}

function articleIn(page: Page): { content: PageNode; title: string; byline: string } | undefined {
  const document = page as unknown as ConstructorParameters<typeof Readability>[0]
  try {
    const found = new Readability<PageNode>(document, { serializer: (node) => node as unknown as PageNode }).parse()
    if (!found?.content) return undefined
    return { content: found.content, title: oneLine(found.title), byline: oneLine(found.byline) }
  } catch {
    return undefined // a page that it was not made for has no article; it is told as a whole
  }
}

function isFitForArticle(page: Page): boolean {
  let elements = 0
  let depth = 0
  let depthSeen = 0
  walk(page, {
    enter(node) {
      depthSeen = Math.max(depthSeen, ++depth)
      if (node.nodeType === elementNode) elements++
      return elements <= articleElementsMax && depthSeen <= articleDepthMax
    },
    leave: () => depth--,
  })
  return elements <= articleElementsMax && depthSeen <= articleDepthMax
}

function baseOf(page: Page, url: string): string {
  const href = page.querySelector('base')?.getAttribute?.('href') ?? ''
  return URL.canParse(href, url) ? new URL(href, url).href : url
}

interface Visitor {
  /** False: what is below it is passed over. */
  enter(node: PageNode): boolean
  /** Once for each node that was entered, also where what is below it was passed over. */
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

const passedOver = new Set(
  'script style noscript template head svg math canvas iframe object embed audio video button input select textarea'.split(
    ' ',
  ),
)
const blocks = new Set(
  'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul'.split(
    ' ',
  ),
)
/** Those with a line of their own, but no empty line around it. */
const tight = new Set(['dd', 'dt', 'li', 'tr'])
/** Indentation stops here, however deep lists are nested. */
const listDepthMax = 6
const linkProtocols = new Set(['http:', 'https:', 'mailto:'])
const linkCharactersMax = 2_000

function tell(root: PageNode, base: string, charactersMax: number): { text: string; isCut: boolean } {
  const teller = new Teller(base, charactersMax)
  walk(root, teller)
  return { text: teller.text, isCut: teller.isCut }
}

class Teller implements Visitor {
  isCut = false
  #pieces: string[] = []
  #characters = 0
  readonly #base: string
  readonly #charactersMax: number
  /** Where the text of each open link begins, and what was due before it. */
  readonly #links: { at: number; breaks: number; isSpaceDue: boolean }[] = []
  readonly #lists: { next: number | undefined }[] = []
  #pre = 0
  /** Line ends that are due before the next word. */
  #breaks = 0
  #isSpaceDue = false
  /** The mark of a list's item or a cell stands there, and its text belongs on the same line. */
  #isMarked = false

  constructor(base: string, charactersMax: number) {
    this.#base = base
    this.#charactersMax = charactersMax
  }

  get text(): string {
    return this.#pieces.join('').trim()
  }

  readonly enter = (node: PageNode): boolean => {
    if (this.isCut) return false
    if (node.nodeType === textNode) this.#say(node.textContent ?? '')
    if (node.nodeType !== elementNode) return node.nodeType !== textNode
    const name = node.localName ?? ''
    if (passedOver.has(name) || isHidden(node)) return false
    if (blocks.has(name)) this.#end(this.#linesAround(name))
    this.#begin(name, node)
    return true
  }

  readonly leave = (node: PageNode): void => {
    const name = node.localName ?? ''
    if (node.nodeType !== elementNode || passedOver.has(name) || isHidden(node)) return
    if (name === 'a') this.#endLink(node.getAttribute?.('href') ?? '')
    if (name === 'ul' || name === 'ol') this.#lists.pop()
    if (name === 'code' && this.#pre === 0) this.#mark('`')
    if (name === 'pre' && --this.#pre === 0) this.#mark('\n```')
    if (blocks.has(name)) this.#end(this.#linesAround(name))
  }

  /** A list in a list stands close. */
  #linesAround(name: string): number {
    return tight.has(name) || ((name === 'ul' || name === 'ol') && this.#lists.length > 0) ? 1 : 2
  }

  #begin(name: string, node: PageNode): void {
    const level = /^h([1-6])$/.exec(name)?.[1]
    if (level !== undefined) this.#write(`${'#'.repeat(Number(level))} `)
    else if (name === 'a') this.#beginLink()
    else if (name === 'br') this.#end(1)
    else if (name === 'hr') this.#write('---')
    else if (name === 'ul') this.#lists.push({ next: undefined })
    else if (name === 'ol') this.#lists.push({ next: 1 })
    else if (name === 'li') this.#begun(this.#bullet())
    else if (name === 'td' || name === 'th') this.#beginCell()
    else if (name === 'blockquote') this.#begun('> ')
    else if (name === 'code' && this.#pre === 0) this.#write('`')
    else if (name === 'pre' && this.#pre++ === 0) this.#write('```\n')
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
    this.#begun('| ')
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
    const after = { breaks: this.#breaks, isSpaceDue: this.#isSpaceDue }
    this.#breaks = link.breaks
    this.#isSpaceDue = link.isSpaceDue
    if (text !== '') {
      const url = URL.canParse(href, this.#base) ? new URL(href, this.#base) : undefined
      const isShown =
        url && !href.startsWith('#') && linkProtocols.has(url.protocol) && url.href.length <= linkCharactersMax
      this.#write(isShown ? `[${text}](${url.href})` : text)
    }
    this.#end(after.breaks)
    this.#isSpaceDue ||= after.isSpaceDue
  }

  #say(text: string): void {
    const clean = text.replace(/[\p{Cc}\p{Cs}]/gu, (character) => (/\s/.test(character) ? character : ''))
    if (this.#pre > 0) {
      this.#write(clean)
      return
    }
    const words = clean.replace(/\s+/g, ' ')
    if (words.startsWith(' ')) this.#isSpaceDue = true
    if (words.trim() !== '') this.#write(words.trim())
    if (words.endsWith(' ')) this.#isSpaceDue = true
  }

  /** The due line ends or space, then the text. */
  #write(text: string): void {
    const gap = this.#breaks > 0 ? '\n'.repeat(this.#breaks) : this.#isSpaceDue ? ' ' : ''
    this.#breaks = 0
    this.#isSpaceDue = false
    this.#isMarked = false
    this.#mark(gap + text)
  }

  #mark(text: string): void {
    this.#pieces.push(text)
    this.#characters += text.length
    if (this.#characters > this.#charactersMax) this.isCut = true
  }

  #begun(mark: string): void {
    this.#write(mark)
    this.#isMarked = true
  }

  #end(lines: number): void {
    if (!this.#isMarked) this.#breaks = Math.max(this.#breaks, lines)
  }
}

function isHidden(node: PageNode): boolean {
  const style = node.getAttribute?.('style') ?? ''
  return node.getAttribute?.('hidden') != null || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
}

function oneLine(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}
