/** The palette: one field that leads to everything. Opened by Ctrl K and by the field in the bar. */
import { Modal, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowRight, Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Kbd } from '../parts/kbd.tsx'
import { targetOf } from '../parts/link-to.tsx'
import { useFocusReturn } from '../parts/use-focus-return.ts'
import { Words } from '../parts/words.tsx'
import { texts, useLanguage, useText } from '../text/text.ts'
import { useChooseLanguage } from './language.tsx'
import styles from './palette.module.css'
import { matches, type PaletteContext, type PaletteItem, type PaletteSource } from './palette-item.ts'
import { remember } from './palette-recent.ts'
import { paletteSources } from './palette-sources.ts'
import { useSession } from './session.tsx'
import { appText } from './text.ts'

const paletteText = texts({
  en: {
    label: 'Palette',
    nothing: 'Nothing is called “{query}”.',
    go: 'open',
    newTab: 'new tab',
    move: 'choose',
    close: 'close',
    actions: 'do',
    ids: 'ids',
  },
  ru: {
    label: 'Палитра',
    nothing: 'Ничего с названием «{query}» нет.',
    go: 'открыть',
    newTab: 'в новой вкладке',
    move: 'выбрать',
    close: 'закрыть',
    actions: 'сделать',
    ids: 'по id',
  },
})

interface Found {
  source: PaletteSource
  items: PaletteItem[]
  isPending?: boolean
}

export default function Palette({ onClose }: { onClose(): void }) {
  const t = useText(paletteText)
  const a = useText(appText)
  const language = useLanguage()
  const navigate = useNavigate()
  useFocusReturn()
  const id = useId()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useFound(query)
  const items = useMemo(() => found.flatMap((group) => group.items), [found])
  const current = items[Math.min(chosen, items.length - 1)]
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (current) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])

  function open(item: PaletteItem | undefined, inNewTab = false): void {
    if (!item) return
    onClose()
    remember(item)
    if (item.path !== undefined && inNewTab)
      window.open(`${item.path}${item.search ? `?${new URLSearchParams(item.search)}` : ''}`, '_blank', 'noopener')
    else if (item.path !== undefined) void navigate(targetOf(item.path, item.search))
    item.run?.()
  }
  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') open(current, event.ctrlKey || event.metaKey)
    else if (step !== undefined && items.length > 0)
      setChosen((before) => (Math.min(before, items.length - 1) + step + items.length) % items.length)
    else return
    event.preventDefault()
  }

  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={640}
      yOffset={112}
      attributes={{ content: { 'aria-label': t('label') } }}
      classNames={{ inner: styles['inner'] ?? '', content: styles['palette'] ?? '' }}
    >
      <div className={styles['query']}>
        <Search size={18} aria-hidden />
        <input
          type="text"
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={current && `${id}-${current.key}`}
          aria-label={a('find')}
          placeholder={a('find')}
          spellCheck={false}
          autoComplete="off"
          maxLength={200}
          data-autofocus
          ref={field}
          // A dialog of the page below that opens only now would take the focus.
          onBlur={() => setTimeout(() => field.current?.focus())}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
        <Kbd>Esc</Kbd>
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={a('find')} className={styles['list']} ref={list}>
        {found.map(({ source, items: of }) =>
          of.length === 0 ? null : (
            // biome-ignore lint/a11y/useSemanticElements: a group of a listbox is no fieldset
            <div key={source.key} role="group" aria-label={source.heading[language]}>
              <div className={styles['heading']} aria-hidden>
                {source.heading[language]}
              </div>
              {of.map((item) => (
                <PaletteRow
                  key={item.key}
                  id={`${id}-${item.key}`}
                  item={item}
                  query={query}
                  isChosen={item === current}
                  onOpen={() => open(item)}
                  onPoint={() => setChosen(items.indexOf(item))}
                />
              ))}
            </div>
          ),
        )}
      </div>
      {items.length === 0 && !found.some(({ isPending }) => isPending) && (
        <p className={styles['nothing']} role="status">
          {t('nothing', { query: askedOf(query) })}
        </p>
      )}
      <div className={styles['foot']} aria-hidden>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('move')}
        </span>
        <span>
          <Kbd>Enter</Kbd> {t('go')}
        </span>
        <span>
          <Kbd>Ctrl Enter</Kbd> {t('newTab')}
        </span>
        <span>
          <Kbd>Esc</Kbd> {t('close')}
        </span>
        <span className={styles['marks']}>
          <Kbd>&gt;</Kbd> {t('actions')} <Kbd>#</Kbd> {t('ids')}
        </span>
      </div>
    </Modal>
  )
}

interface PaletteRowProps {
  id: string
  item: PaletteItem
  query: string
  isChosen: boolean
  onOpen(): void
  onPoint(): void
}

function PaletteRow({ id, item, query, isChosen, onOpen, onPoint }: PaletteRowProps) {
  const Icon = item.icon ?? ArrowRight
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={styles['item']}
      onClick={onOpen}
      onMouseMove={onPoint}
    >
      <Icon size={16} aria-hidden />
      <span className="cut">
        <Words mark={query}>{item.title}</Words>
      </span>
      {item.hint !== undefined && (
        <span className={styles['hint']}>
          <Words>{item.hint}</Words>
        </span>
      )}
    </div>
  )
}

/** The sign at the beginning that stands for one kind of thing. */
const markOf = (query: string): PaletteSource['mark'] =>
  paletteSources.find(({ mark }) => mark !== undefined && query.startsWith(mark))?.mark
const askedOf = (query: string): string => query.slice(markOf(query)?.length ?? 0).trim()

/** Before the service is asked: a word is typed in less. */
const askAfterMs = 120

/** What all sources answer to the query; answers that come later join, and those to an older query are dropped. */
function useFound(query: string): Found[] {
  const language = useLanguage()
  const chooseLanguage = useChooseLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const queries = useQueryClient()
  const { may } = useSession()
  const [found, setFound] = useState<Found[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the theme asks nothing anew
  useEffect(() => {
    const controller = new AbortController()
    const context: PaletteContext = {
      language,
      may,
      signal: controller.signal,
      queries,
      chooseLanguage,
      toggleTheme: () => setColorScheme(colorScheme === 'dark' ? 'light' : 'dark'),
    }
    const mark = markOf(query)
    const asked = askedOf(query)
    const sources = paletteSources.filter((source) => mark === undefined || source.mark === mark)
    // At once what needs no asking; of the others what is there from the letters before and still fits.
    setFound((before) =>
      sources.map((source) => {
        if (!source.asks) return { source, items: source.find(asked, context) as PaletteItem[] }
        const items = before.find((one) => one.source === source)?.items ?? []
        return { source, items: items.filter(({ title, hint }) => matches(asked, title, hint)), isPending: true }
      }),
    )
    const timer = setTimeout(
      () => {
        for (const source of sources.filter(({ asks }) => asks)) {
          const join = (items: PaletteItem[]) => {
            if (controller.signal.aborted) return
            setFound((before) => before.map((one) => (one.source === source ? { source, items } : one)))
          }
          // One kind of thing that cannot be searched now holds up no other.
          void Promise.resolve(source.find(asked, context)).then(join, () => join([]))
        }
      },
      asked === '' ? 0 : askAfterMs,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [query, language, may, queries, chooseLanguage])
  return found
}
