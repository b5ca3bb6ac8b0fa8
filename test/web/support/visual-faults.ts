/** What the visual language says of every page, measured in the page itself. */
import type { Page } from 'playwright-core'

/** Runs in the page. @returns a sentence for each thing that is not as it is to be */
const findings = `(() => {
  const found = []
  const isShown = (one) => one.getClientRects().length > 0
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown)
  const words = (one) => one.textContent.trim().replace(/\\s+/g, ' ').slice(0, 60)
  const style = (one) => getComputedStyle(one)
  const is = (condition, what) => condition || found.push(what)

  const isPhone = innerWidth <= 640
  is(style(document.body).fontSize === (isPhone ? '14px' : '13px'), 'the body is ' + style(document.body).fontSize)
  for (const row of isPhone ? [] : all('main [role=rowgroup] > [role=row]')) {
    const height = row.getBoundingClientRect().height
    const hasTwoLines = location.pathname === '/conversations'
    is(height === (hasTwoLines ? 48 : 34), 'a row of ' + height + ' px: ' + words(row))
  }
  for (const head of isPhone ? [] : all('main [role=table] > [role=row], main thead th'))
    is(head.getBoundingClientRect().height === 32, 'a head of ' + head.getBoundingClientRect().height + ' px: ' + words(head))
  const number = /^[-+]?\\d[\\d,\\u202f\\u00a0]*([.,]\\d+)?(\\s?(ms|s|%|k|M|kB|MB|GB|MiB|мс|с|тыс\\.?|млн|кБ|МБ|МиБ))?$/
  for (const cell of isPhone ? [] : all('main td, main [role=cell]'))
    if (number.test(cell.textContent.trim()))
      is(
        ['right', 'end'].includes(style(cell).textAlign) && style(cell).fontVariantNumeric.includes('tabular-nums'),
        'a number that is not at the right in digits of one width: ' + words(cell) + ' of ' + words(cell.parentElement),
      )

  const isPrimary = (one) => one.matches('.mantine-Button-root[data-variant=filled], .mantine-Button-root:not([data-variant])')
  for (const part of [document.querySelector('h1').parentElement, ...all('aside, [role=dialog]')]) {
    const primary = [...part.querySelectorAll('button, a')].filter((one) => isShown(one) && isPrimary(one))
    is(primary.length <= 1, 'more than one primary button: ' + primary.map(words).join(', '))
  }

  const colours = new Set(['--wait', '--wait-bg', '--wait-mark'].map((name) => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(' + name + ')'
    const { color } = style(probe)
    probe.remove()
    return color
  }))
  const waits = /wait|approv|expire|decid|decision|жд[ёу]т|решени|согласован|истека|^\\d+$/i
  for (const one of document.body.querySelectorAll('*')) {
    const own = style(one)
    const hasWords = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
    const isViolet = colours.has(own.backgroundColor) || (hasWords && colours.has(own.color))
    if (isViolet && isShown(one) && !waits.test(one.textContent.trim()) && !waits.test(one.parentElement.textContent))
      found.push('violet that waits for nobody: ' + words(one))
  }

  const banners = all('main [class*=banner]').filter((one) => one.hasAttribute('data-tone') && one.parentElement.matches('main'))
  is(banners.length <= 1, banners.length + ' banners above each other')

  // What stands there to be copied, and a log's lines, are no names.
  const raw = /\\b(SERVICE_[A-Z][A-Z0-9_]+|(?:key|turn|conv|chan|agent|msg)_[0-9a-f]{8}[0-9a-f…]*)/
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  while (location.pathname !== '/settings' && texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode
    const match = raw.exec(textContent)
    if (match && isShown(parentElement) && !parentElement.closest('.mono, pre, code, main section > [class*=rows]')) found.push('raw: ' + match[0] + ' in ' + words(parentElement))
  }

  const labels = 'main button, nav a, [role=columnheader], th, label, legend, h1, h2, [data-state] > span'
  for (const label of all(labels).filter((one) => location.pathname !== '/log' || !one.closest('main section'))) {
    const cut = [label, ...label.querySelectorAll('*')].find((one) => {
      const { overflow, textOverflow } = style(one)
      return (textOverflow === 'ellipsis' || overflow === 'hidden') && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1
    })
    is(!cut || words(label) === '', 'cut: ' + words(label))
  }
  return [...new Set(found)]
})()`

export const notAsDesigned = (page: Page): Promise<string[]> => page.evaluate<string[]>(findings)
