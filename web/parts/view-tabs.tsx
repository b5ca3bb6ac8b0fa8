/**
 * Views of a list as tabs: those that come with the page, and the operator's own. A view is what the address says: filters,
 * order, period. Own views stay in the browser, so they are of one person on one machine.
 */
import { Button, Text, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useText } from '../text/text.ts'
import type { CountTone } from './count.tsx'
import { PopoverButton } from './popover-button.tsx'
import { type SavedView, savedViews, viewNameMax, viewsMax } from './saved-views.ts'
import { TabButton, TabRow } from './tab-row.tsx'
import { partsText } from './text.ts'
import { toast } from './toast.tsx'
import styles from './view-tabs.module.css'

type Filters = Readonly<Record<string, string>>

export interface ListView {
  title: string
  /** What differs from the list without filters. */
  filters: Filters
  count?: number | undefined
  tone?: CountTone
}

interface ViewTabsProps {
  /** Of the list, in the browser's storage. */
  name: string
  label: string
  /** The views of the page; the first one is without filters. */
  views: readonly ListView[]
  /** Every filter of the page with its value when nothing is chosen. */
  byDefault: Filters
  filters: Filters
  onChoose(filters: Filters): void
}

export function ViewTabs({ name, label, views, byDefault, filters, onChoose }: ViewTabsProps) {
  const p = useText(partsText)
  const store = useMemo(() => savedViews(name, Object.keys(byDefault)), [name, byDefault])
  const [own, setOwn] = useState(store.get)
  // Another tab may have saved some meanwhile: what is there now is changed, never what this one has read.
  function change(to: (views: readonly SavedView[]) => readonly SavedView[]): void {
    const next = to(store.get())
    setOwn(next)
    store.set(next)
  }
  const remove = ({ title }: SavedView) => change((views) => views.filter((view) => view.title !== title))
  const add = (added: SavedView) => change((views) => [...views.filter(({ title }) => title !== added.title), added])
  useEffect(() => {
    const read = () => setOwn(store.get())
    addEventListener('storage', read)
    return () => removeEventListener('storage', read)
  }, [store])
  const isChosen = (view: Filters) =>
    Object.keys(byDefault).every((key) => filters[key] === (view[key] ?? byDefault[key]))
  const tab = (view: ListView, key: string) => (
    <TabButton
      key={key}
      isChosen={isChosen(view.filters)}
      count={view.count ?? 0}
      {...(view.tone && { tone: view.tone })}
      onChoose={() => onChoose({ ...byDefault, ...view.filters })}
    >
      {view.title}
    </TabButton>
  )
  const chosen = own.find((view) => isChosen(view.filters))
  const isOfPage = views.some((view) => isChosen(view.filters))
  return (
    <div className={styles['row']}>
      <TabRow label={label}>
        {views.map((view) => tab(view, `page ${view.title}`))}
        {own.map((view) => tab(view, `own ${view.title}`))}
      </TabRow>
      {chosen && (
        <button
          type="button"
          className={styles['button']}
          aria-label={p('removeView', { name: chosen.title })}
          title={p('removeView', { name: chosen.title })}
          onClick={() => {
            remove(chosen)
            toast({ title: p('viewRemoved', { name: chosen.title }), onUndo: () => add(chosen) })
          }}
        >
          <X size={14} aria-hidden />
        </button>
      )}
      {!chosen && !isOfPage && (
        <PopoverButton
          side="end"
          className={styles['button']}
          content={
            <>
              <Plus size={14} aria-hidden />
              {p('saveView')}
            </>
          }
        >
          {(close) => (
            <SaveView
              isFull={own.length >= viewsMax}
              onSave={(title) => {
                const kept = Object.entries(filters).filter(([key, value]) => value !== byDefault[key])
                add({ title, filters: Object.fromEntries(kept) })
                close()
              }}
            />
          )}
        </PopoverButton>
      )}
    </div>
  )
}

function SaveView({ isFull, onSave }: { isFull: boolean; onSave(title: string): void }) {
  const p = useText(partsText)
  const [title, setTitle] = useState('')
  const name = title.trim()
  if (isFull) return <Text p={8}>{p('viewsFull', { n: viewsMax })}</Text>
  return (
    <form
      className={styles['save']}
      onSubmit={(event) => {
        event.preventDefault()
        if (name !== '') onSave(name)
      }}
    >
      <TextInput
        label={p('viewName')}
        description={p('saveViewHint')}
        maxLength={viewNameMax}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Button type="submit" disabled={name === ''}>
        {p('saveView')}
      </Button>
    </form>
  )
}
