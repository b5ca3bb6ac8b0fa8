/** The keys of the whole UI, and the two things they open over a page. Loaded after the first paint. */
import { useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { tabsOf } from '../pages/pages.ts'
import { sectionNames, sections } from '../pages/sections.ts'
import { targetOf } from '../parts/link-to.tsx'
import { singleKeys } from './browser-settings.ts'
import { isCovered, isTyping } from './key-target.ts'
import { isPaletteKey, type Overlay, onOverlay, takeEarlyKey } from './palette-request.ts'
import { useSession } from './session.tsx'

const loadPalette = () => import('./palette.tsx')
const Palette = lazy(loadPalette)
const KeysHelp = lazy(() => import('./keys-help.tsx'))

/** After `G` so long for the letter of a page. */
const letterWithinMs = 1_500
/** The palette is fetched when the page is quiet, so that it opens at once. */
const preloadAfterMs = 1_500

export default function Keys() {
  const [overlay, setOverlay] = useState<Overlay>()
  const press = usePress(setOverlay)
  useEffect(() => onOverlay(setOverlay), [])
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), preloadAfterMs)
    return () => clearTimeout(timer)
  }, [])
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => latest.current(event)
    const early = takeEarlyKey()
    if (early) onKey(early)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const close = () => setOverlay(undefined)
  return (
    <Suspense>
      {overlay === 'palette' && <Palette onClose={close} />}
      {overlay === 'keys' && <KeysHelp onClose={close} />}
    </Suspense>
  )
}

function usePress(show: (overlay: Overlay) => void): (event: KeyboardEvent) => void {
  const navigate = useNavigate()
  const { may } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const queries = useQueryClient()
  const goesUntilMs = useRef(0)
  return (event) => {
    const key = event.key.toLowerCase()
    if (isPaletteKey(event)) {
      event.preventDefault()
      show('palette')
      return
    }
    if ((event.ctrlKey || event.metaKey) && (key === 's' || event.code === 'KeyS')) {
      if (clickButton('[data-save]')) event.preventDefault()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !singleKeys.get()) return
    if (isCovered()) return
    const letter = event.code.startsWith('Key') ? event.code.slice(3).toLowerCase() : key
    if (Date.now() < goesUntilMs.current) {
      goesUntilMs.current = 0
      const name = sectionNames.find((one) => sections[one].letter === letter)
      const path = name && tabsOf(name, may)[0]?.path
      if (path !== undefined) void navigate(targetOf(path))
      return
    }
    switch (event.key === '?' || event.key === '/' ? event.key : letter) {
      case 'g':
        goesUntilMs.current = Date.now() + letterWithinMs
        return
      case 't':
        return setColorScheme(colorScheme === 'dark' ? 'light' : 'dark')
      case '?':
        return show('keys')
      case '/':
        if (focusSearch()) event.preventDefault()
        return
      case 'f':
        if (clickButton('[data-add-filter]')) event.preventDefault()
        return
      case 'r':
        if (document.querySelector('main [role=table]')) void queries.invalidateQueries({ type: 'active' })
        return
      case '[':
        return stepTab(-1)
      case ']':
        return stepTab(1)
      default:
    }
  }
}

/** Presses a button of the page or of what lies over it. */
function clickButton(selector: string): boolean {
  const button = document.querySelector<HTMLButtonElement>(`${selector}:not(:disabled)`)
  button?.click()
  return button !== null
}

/** The search of the page, if it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search], main search input')
  field?.focus()
  return field !== null
}

/** The tab beside the chosen one, of the first row of tabs. */
function stepTab(by: number): void {
  const row = document.querySelector('main [data-tabs]')
  const tabs = [...(row?.querySelectorAll<HTMLElement>('a, [data-tab], [role=tab]') ?? [])]
  const at = tabs.findIndex((tab) => tab.matches('[aria-current], [aria-selected=true]'))
  tabs[at + by]?.click()
}
